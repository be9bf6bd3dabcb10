import type { Condition, KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";

/**
 * Matches requests by operation and resource; `*` matches all, and every list must match.
 *
 * @see api/admissionregistration/v1 RuleWithOperations
 */
export interface Rule {
  operations?: string[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  /** Plural resource names, with subresources after a slash: `pods/status`. Either part may be `*`. */
  resources?: string[] | undefined;
  /** `Cluster`, `Namespaced` or `*`. Default `*`. */
  scope?: string | undefined;
}

/**
 * CEL expression that must be true for the policy to apply; all conditions must hold.
 *
 * @see api/admissionregistration/v1 MatchCondition
 */
export interface MatchCondition {
  name?: string | undefined;
  expression?: string | undefined;
}

/** A {@link Rule} that may be limited to objects with certain names. @see api/admissionregistration/v1 NamedRuleWithOperations */
export interface NamedRule extends Rule {
  /** Absent or empty: all. */
  resourceNames?: string[] | undefined;
}

/** Requests that a policy or binding matches. */
export interface MatchResources {
  matchPolicy?: string | undefined;
  namespaceSelector?: LabelSelectorSpec | undefined;
  objectSelector?: LabelSelectorSpec | undefined;
  resourceRules?: NamedRule[] | undefined;
  excludeResourceRules?: NamedRule[] | undefined;
}

/** Kind of a policy's parameters. @see api/admissionregistration/v1 ParamKind */
export interface ParamKind {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/**
 * A named expression that later expressions can read as `variables.<name>`. It is evaluated on first use.
 *
 * @see api/admissionregistration/v1 Variable
 */
export interface Variable {
  name?: string | undefined;
  expression?: string | undefined;
}

/**
 * A CEL expression that valid requests satisfy, with the error message for all other requests. @see api/admissionregistration/v1
 * Validation
 */
export interface Validation {
  expression?: string | undefined;
  message?: string | undefined;
  /** Reason of the rejection: `Unauthorized`, `Forbidden`, `Invalid` or `RequestEntityTooLarge`. Default `Invalid`. */
  reason?: string | undefined;
  /** CEL expression that returns the message. It overrides `message`, which is used if the expression fails. */
  messageExpression?: string | undefined;
}

/**
 * Annotation that a policy adds to the audit log under `<policy's name>/<key>`. Null and blank values are omitted.
 *
 * @see api/admissionregistration/v1 AuditAnnotation
 */
export interface AuditAnnotation {
  key?: string | undefined;
  valueExpression?: string | undefined;
}

/**
 * One change that a mutating policy makes. Contains exactly one of the two expressions, depending on `patchType`.
 *
 * @see api/admissionregistration/v1 Mutation
 */
export interface Mutation {
  /** `ApplyConfiguration` or `JSONPatch`. */
  patchType?: string | undefined;
  applyConfiguration?: { expression?: string | undefined } | undefined;
  jsonPatch?: { expression?: string | undefined } | undefined;
}

/**
 * A policy's conditions and actions. Validating policies have `validations` and `auditAnnotations`; mutating policies have `mutations`
 * and `reinvocationPolicy`.
 *
 * @see api/admissionregistration/v1 ValidatingAdmissionPolicySpec, MutatingAdmissionPolicySpec
 */
export interface PolicySpec {
  /** Outcome of the request if an expression fails: `Fail` or `Ignore`. Default `Fail`. */
  failurePolicy?: string | undefined;
  matchConstraints?: MatchResources | undefined;
  matchConditions?: MatchCondition[] | undefined;
  paramKind?: ParamKind | undefined;
  variables?: Variable[] | undefined;
  validations?: Validation[] | undefined;
  auditAnnotations?: AuditAnnotation[] | undefined;
  mutations?: Mutation[] | undefined;
  reinvocationPolicy?: string | undefined;
}

/** A ValidatingAdmissionPolicy or MutatingAdmissionPolicy. */
export interface AdmissionPolicy extends KubeObject {
  spec?: PolicySpec | undefined;
  status?:
    | {
        observedGeneration?: number | undefined;
        typeChecking?:
          | { expressionWarnings?: { fieldRef?: string | undefined; warning?: string | undefined }[] | undefined }
          | undefined;
        conditions?: Condition[] | undefined;
      }
    | undefined;
}

/**
 * Selects a binding's parameter objects: by name, or by a selector.
 *
 * @see api/admissionregistration/v1 ParamRef
 */
export interface ParamRef {
  name?: string | undefined;
  /** Namespace of the parameter objects. Default for namespaced kinds: the namespace of the object being written. */
  namespace?: string | undefined;
  selector?: LabelSelectorSpec | undefined;
  /** Action if no parameter object exists: `Allow` or `Deny`. */
  parameterNotFoundAction?: string | undefined;
}

/** A binding for either type of policy. */
export interface AdmissionPolicyBinding extends KubeObject {
  spec?:
    | {
        policyName?: string | undefined;
        paramRef?: ParamRef | undefined;
        matchResources?: MatchResources | undefined;
        validationActions?: string[] | undefined;
      }
    | undefined;
}
