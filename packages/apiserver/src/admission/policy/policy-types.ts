import type { Condition, KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";

/**
 * Matches requests by operation and resource; `*` matches all, and every list must match.
 *
 * @see api/admissionregistration/v1 RuleWithOperations
 */
export interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  /** Plural resource names, with subresources after a slash: `pods/status`. Either part may be `*`. */
  resources?: string[];
  /** `Cluster`, `Namespaced` or `*`. Default `*`. */
  scope?: string;
}

/**
 * CEL expression that must be true for the policy to apply; all conditions must hold.
 *
 * @see api/admissionregistration/v1 MatchCondition
 */
export interface MatchCondition {
  name?: string;
  expression?: string;
}

/** A {@link Rule} that may be limited to objects with certain names. @see api/admissionregistration/v1 NamedRuleWithOperations */
export interface NamedRule extends Rule {
  /** Absent or empty: all. */
  resourceNames?: string[];
}

/** Requests that a policy or binding matches. */
export interface MatchResources {
  matchPolicy?: string;
  namespaceSelector?: LabelSelectorSpec;
  objectSelector?: LabelSelectorSpec;
  resourceRules?: NamedRule[];
  excludeResourceRules?: NamedRule[];
}

/** Kind of a policy's parameters. @see api/admissionregistration/v1 ParamKind */
export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

/**
 * A named expression that later expressions can read as `variables.<name>`. It is evaluated on first use.
 *
 * @see api/admissionregistration/v1 Variable
 */
export interface Variable {
  name?: string;
  expression?: string;
}

/**
 * A CEL expression that valid requests satisfy, with the error message for all other requests. @see api/admissionregistration/v1
 * Validation
 */
export interface Validation {
  expression?: string;
  message?: string;
  /** Reason of the rejection: `Unauthorized`, `Forbidden`, `Invalid` or `RequestEntityTooLarge`. Default `Invalid`. */
  reason?: string;
  /** CEL expression that returns the message. It overrides `message`, which is used if the expression fails. */
  messageExpression?: string;
}

/**
 * Annotation that a policy adds to the audit log under `<policy's name>/<key>`. Null and blank values are omitted.
 *
 * @see api/admissionregistration/v1 AuditAnnotation
 */
export interface AuditAnnotation {
  key?: string;
  valueExpression?: string;
}

/**
 * One change that a mutating policy makes. Contains exactly one of the two expressions, depending on `patchType`.
 *
 * @see api/admissionregistration/v1 Mutation
 */
export interface Mutation {
  /** `ApplyConfiguration` or `JSONPatch`. */
  patchType?: string;
  applyConfiguration?: { expression?: string };
  jsonPatch?: { expression?: string };
}

/**
 * A policy's conditions and actions. Validating policies have `validations` and `auditAnnotations`; mutating policies have `mutations`
 * and `reinvocationPolicy`.
 *
 * @see api/admissionregistration/v1 ValidatingAdmissionPolicySpec, MutatingAdmissionPolicySpec
 */
export interface PolicySpec {
  /** Outcome of the request if an expression fails: `Fail` or `Ignore`. Default `Fail`. */
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

/**
 * Selects a binding's parameter objects: by name, or by a selector.
 *
 * @see api/admissionregistration/v1 ParamRef
 */
export interface ParamRef {
  name?: string;
  /** Default for namespaced kinds: the namespace of the written object. */
  namespace?: string;
  selector?: LabelSelectorSpec;
  /** Action if no parameter object exists: `Allow` or `Deny`. */
  parameterNotFoundAction?: string;
}

/** A binding for either type of policy. */
export interface AdmissionPolicyBinding extends KubeObject {
  spec?: {
    policyName?: string;
    paramRef?: ParamRef;
    matchResources?: MatchResources;
    validationActions?: string[];
  };
}
