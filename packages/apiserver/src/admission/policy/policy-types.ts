import type { Condition, KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";

export interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

export interface MatchCondition {
  name?: string;
  expression?: string;
}

export interface NamedRule extends Rule {
  resourceNames?: string[];
}

/** Which requests a policy or binding is about. */
export interface MatchResources {
  matchPolicy?: string;
  namespaceSelector?: LabelSelectorSpec;
  objectSelector?: LabelSelectorSpec;
  resourceRules?: NamedRule[];
  excludeResourceRules?: NamedRule[];
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface Variable {
  name?: string;
  expression?: string;
}

export interface Validation {
  expression?: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
}

export interface AuditAnnotation {
  key?: string;
  valueExpression?: string;
}

export interface Mutation {
  patchType?: string;
  applyConfiguration?: { expression?: string };
  jsonPatch?: { expression?: string };
}

export interface PolicySpec {
  failurePolicy?: string;
  matchConstraints?: MatchResources;
  matchConditions?: MatchCondition[];
  paramKind?: ParamKind;
  variables?: Variable[];
  validations?: Validation[];
  auditAnnotations?: AuditAnnotation[];
  mutations?: Mutation[];
  reinvocationPolicy?: string;
}

/** A ValidatingAdmissionPolicy or MutatingAdmissionPolicy. */
export interface AdmissionPolicy extends KubeObject {
  spec?: PolicySpec;
  status?: {
    observedGeneration?: number;
    typeChecking?: { expressionWarnings?: { fieldRef?: string; warning?: string }[] };
    conditions?: Condition[];
  };
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelectorSpec;
  parameterNotFoundAction?: string;
}

/** A binding of either sort. */
export interface AdmissionPolicyBinding extends KubeObject {
  spec?: {
    policyName?: string;
    paramRef?: ParamRef;
    matchResources?: MatchResources;
    validationActions?: string[];
  };
}
