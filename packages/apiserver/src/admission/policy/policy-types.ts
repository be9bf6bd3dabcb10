import type { Condition, KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";

/**
 * A rule that matches requests by operation and resource. A request matches if it matches every list; `*` in a list matches everything.
 *
 * @see api/admissionregistration/v1 RuleWithOperations
 */
export interface Rule {
  operations?: string[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  /** Plural resource names. A subresource follows a slash, as in `pods/status`. Both parts may be `*`. */
  resources?: string[] | undefined;
  /** Scope of the resources: `Cluster`, `Namespaced` or `*`. Default `*`. */
  scope?: string | undefined;
}

/**
 * A CEL expression that must be true for the policy to apply. If a policy has several conditions, all of them must be true.
 *
 * @see api/admissionregistration/v1 MatchCondition
 */
export interface MatchCondition {
  name?: string | undefined;
  expression?: string | undefined;
}

/** A {@link Rule} that may be limited to objects with certain names. @see api/admissionregistration/v1 NamedRuleWithOperations */
export interface NamedRule extends Rule {
  /** Object names that match. If absent or empty, every name matches. */
  resourceNames?: string[] | undefined;
}

/** Criteria that determine which requests a policy or binding matches. */
export interface MatchResources {
  matchPolicy?: string | undefined;
  namespaceSelector?: LabelSelectorSpec | undefined;
  objectSelector?: LabelSelectorSpec | undefined;
  resourceRules?: NamedRule[] | undefined;
  excludeResourceRules?: NamedRule[] | undefined;
}

/** The kind of a policy's parameters. @see api/admissionregistration/v1 ParamKind */
export interface ParamKind {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/**
 * A variable: a named expression that later expressions can use as `variables.<name>`. It is evaluated on first use.
 *
 * @see api/admissionregistration/v1 Variable
 */
export interface Variable {
  name?: string | undefined;
  expression?: string | undefined;
}

/**
 * A CEL expression that must be true for a request to be valid, and the error message if it is not.
 *
 * @see api/admissionregistration/v1 Validation
 */
export interface Validation {
  expression?: string | undefined;
  message?: string | undefined;
  /** Reason for the rejection: `Unauthorized`, `Forbidden`, `Invalid` or `RequestEntityTooLarge`. Default `Invalid`. */
  reason?: string | undefined;
  /** CEL expression that returns the error message. `message` is used only if this expression is absent or fails. */
  messageExpression?: string | undefined;
}

/**
 * An annotation that a policy adds to audit events under the key `<policy name>/<key>`. Null and blank values are
 * omitted.
 *
 * @see api/admissionregistration/v1 AuditAnnotation
 */
export interface AuditAnnotation {
  key?: string | undefined;
  valueExpression?: string | undefined;
}

/**
 * A change made by a mutating policy. Depending on `patchType`, it contains one of two expressions.
 *
 * @see api/admissionregistration/v1 Mutation
 */
export interface Mutation {
  /** Type of the change: `ApplyConfiguration` or `JSONPatch`. */
  patchType?: string | undefined;
  applyConfiguration?: { expression?: string | undefined } | undefined;
  jsonPatch?: { expression?: string | undefined } | undefined;
}

/**
 * A policy's spec: its conditions and actions. Validating policies have `validations` and `auditAnnotations`; mutating
 * policies have `mutations` and `reinvocationPolicy`.
 *
 * @see api/admissionregistration/v1 ValidatingAdmissionPolicySpec, MutatingAdmissionPolicySpec
 */
export interface PolicySpec {
  /** Policy for expressions that cannot be evaluated: `Fail` rejects the request, and `Ignore` ignores the error. Default `Fail`. */
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
 * Selects a binding's parameter objects, by name or label selector.
 *
 * @see api/admissionregistration/v1 ParamRef
 */
export interface ParamRef {
  name?: string | undefined;
  /** Namespace of the parameter objects. Default for namespaced kinds: the namespace of the object being written. */
  namespace?: string | undefined;
  selector?: LabelSelectorSpec | undefined;
  /** Action if no parameter object is found: `Allow` or `Deny`. */
  parameterNotFoundAction?: string | undefined;
}

/** A ValidatingAdmissionPolicyBinding or MutatingAdmissionPolicyBinding. */
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
