// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of admissionregistration.k8s.io/v1. */
export const admissionregistrationV1Types = `
## admissionregistration.k8s.io/v1 io.k8s.api.admissionregistration.v1
ApplyConfiguration = 1 expression:string
AuditAnnotation = 1 key!:string*, 2 valueExpression!:string*
ExpressionWarning = 2 fieldRef!:string*, 3 warning!:string*
JSONPatch = 1 expression:string
MatchCondition = 1 name!:string*, 2 expression!:string*
MatchResources = @atomic 1 namespaceSelector:meta.LabelSelector?, 2 objectSelector:meta.LabelSelector?, 3 resourceRules:[NamedRuleWithOperations], 4 excludeResourceRules:[NamedRuleWithOperations], 7 matchPolicy:string?@enum(Equivalent|Exact)
MutatingAdmissionPolicy = 1 metadata:meta.ObjectMeta, 2 spec:MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding = 1 metadata:meta.ObjectMeta, 2 spec:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec = 1 policyName:string, 2 paramRef:ParamRef?, 3 matchResources:MatchResources?
MutatingAdmissionPolicySpec = 1 paramKind:ParamKind?, 2 matchConstraints:MatchResources?, 3 variables:[Variable], 4 mutations:[Mutation], 5 failurePolicy:string?@enum(Fail|Ignore), 6 matchConditions:[MatchCondition]@map(name)@merge(name), 7 reinvocationPolicy:string@enum(IfNeeded|Never)
MutatingWebhook = 1 name!:string*, 2 clientConfig!:WebhookClientConfig*, 3 rules:[RuleWithOperations], 4 failurePolicy:string?@enum(Fail|Ignore), 9 matchPolicy:string?@enum(Equivalent|Exact), 5 namespaceSelector:meta.LabelSelector?, 11 objectSelector:meta.LabelSelector?, 6 sideEffects!:string?*@enum(None|NoneOnDryRun|Some|Unknown), 7 timeoutSeconds:int32?, 8 admissionReviewVersions!:[string]*, 10 reinvocationPolicy:string?@enum(IfNeeded|Never), 12 matchConditions:[MatchCondition]@map(name)@merge(name)
MutatingWebhookConfiguration = 1 metadata:meta.ObjectMeta, 2 webhooks:[MutatingWebhook]@map(name)@merge(name)
Mutation = 2 patchType!:string*@enum(ApplyConfiguration|JSONPatch), 3 applyConfiguration:ApplyConfiguration?, 4 jsonPatch:JSONPatch?
NamedRuleWithOperations = @atomic 1 resourceNames:[string], 2 ^RuleWithOperations
ParamKind = @atomic 1 apiVersion:string, 2 kind:string
ParamRef = @atomic 1 name:string, 2 namespace:string, 3 selector:meta.LabelSelector?, 4 parameterNotFoundAction:string?
Rule = 1 apiGroups:[string], 2 apiVersions:[string], 3 resources:[string], 4 scope:string?@enum(*|Cluster|Namespaced)
RuleWithOperations = 1 operations:[string]@enum(*|CONNECT|CREATE|DELETE|UPDATE), 2 ^Rule
ServiceReference = 1 namespace!:string*, 2 name!:string*, 3 path:string?, 4 port:int32?
TypeChecking = 1 expressionWarnings:[ExpressionWarning]
ValidatingAdmissionPolicy = 1 metadata:meta.ObjectMeta, 2 spec:ValidatingAdmissionPolicySpec, 3 status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding = 1 metadata:meta.ObjectMeta, 2 spec:ValidatingAdmissionPolicyBindingSpec*
ValidatingAdmissionPolicyBindingSpec = 1 policyName:string*, 2 paramRef:ParamRef?, 3 matchResources:MatchResources?, 4 validationActions:[string]*@enum(Audit|Deny|Warn)@set
ValidatingAdmissionPolicySpec = 1 paramKind:ParamKind?, 2 matchConstraints:MatchResources?, 3 validations:[Validation], 4 failurePolicy:string?@enum(Fail|Ignore), 5 auditAnnotations:[AuditAnnotation], 6 matchConditions:[MatchCondition]@map(name)@merge(name), 7 variables:[Variable]@map(name)@merge(name)
ValidatingAdmissionPolicyStatus = 1 observedGeneration:int64, 2 typeChecking:TypeChecking?, 3 conditions:[meta.Condition]@map(type)
ValidatingWebhook = 1 name!:string*, 2 clientConfig!:WebhookClientConfig*, 3 rules:[RuleWithOperations], 4 failurePolicy:string?@enum(Fail|Ignore), 9 matchPolicy:string?@enum(Equivalent|Exact), 5 namespaceSelector:meta.LabelSelector?, 10 objectSelector:meta.LabelSelector?, 6 sideEffects!:string?*@enum(None|NoneOnDryRun|Some|Unknown), 7 timeoutSeconds:int32?, 8 admissionReviewVersions!:[string]*, 11 matchConditions:[MatchCondition]@map(name)@merge(name)
ValidatingWebhookConfiguration = 1 metadata:meta.ObjectMeta, 2 webhooks:[ValidatingWebhook]@map(name)@merge(name)
Validation = 1 expression!:string*, 2 message:string, 3 reason:string?, 4 messageExpression:string
Variable = @atomic 1 name!:string*, 2 expression!:string*
WebhookClientConfig = 3 url:string?, 1 service:ServiceReference?, 2 caBundle:bytes
`;
