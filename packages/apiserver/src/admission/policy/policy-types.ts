import type { Condition, KubeObject, LabelSelectorSpec } from "@kubewright/apimachinery";

/**
 * Requests by operation and resource; `*` stands for all, and every list has to match.
 *
 * @see api/admissionregistration/v1 RuleWithOperations
 */
export interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  /** Plurals, and subresources after a slash: `pods/status`. Either part may be `*`. */
  resources?: string[];
  /** `Cluster`, `Namespaced` or `*`. Default `*`. */
  scope?: string;
}

/**
 * What must be true, as a CEL expression, for the policy to be asked; every condition counts.
 *
 * @see api/admissionregistration/v1 MatchCondition
 */
export interface MatchCondition {
  name?: string;
  expression?: string;
}

/** A {@link Rule} that may be limited to objects of some names. @see api/admissionregistration/v1 NamedRuleWithOperations */
export interface NamedRule extends Rule {
  /** Absent or empty: all. */
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

/** Which kind a policy's parameters are of. @see api/admissionregistration/v1 ParamKind */
export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

/**
 * An expression with a name, which those after it read as `variables.<name>`, and which is evaluated when one of them first does.
 *
 * @see api/admissionregistration/v1 Variable
 */
export interface Variable {
  name?: string;
  expression?: string;
}

/** A CEL expression that is true of what may be written, and what is said where it is not. @see api/admissionregistration/v1 Validation */
export interface Validation {
  expression?: string;
  message?: string;
  /** Of the refusal: `Unauthorized`, `Forbidden`, `Invalid` or `RequestEntityTooLarge`. Default `Invalid`. */
  reason?: string;
  /** A CEL expression that makes the message; wins over `message`, which serves where it fails. */
  messageExpression?: string;
}

/**
 * What a policy notes in the audit log, under `<policy's name>/<key>`; what is null or blank is not noted.
 *
 * @see api/admissionregistration/v1 AuditAnnotation
 */
export interface AuditAnnotation {
  key?: string;
  valueExpression?: string;
}

/** One change of a mutating policy: exactly one of the two expressions, as `patchType` says. @see api/admissionregistration/v1 Mutation */
export interface Mutation {
  /** `ApplyConfiguration` or `JSONPatch`. */
  patchType?: string;
  applyConfiguration?: { expression?: string };
  jsonPatch?: { expression?: string };
}

/**
 * What a policy asks and does. Validating ones have `validations` and `auditAnnotations`, mutating ones `mutations` and
 * `reinvocationPolicy`.
 *
 * @see api/admissionregistration/v1 ValidatingAdmissionPolicySpec, MutatingAdmissionPolicySpec
 */
export interface PolicySpec {
  /** What becomes of the request where an expression fails: `Fail` or `Ignore`. Default `Fail`. */
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
 * Which objects are a binding's parameters: the one of a name, or all that a selector matches.
 *
 * @see api/admissionregistration/v1 ParamRef
 */
export interface ParamRef {
  name?: string;
  /** Default, for namespaced kinds: that of the object that is written. */
  namespace?: string;
  selector?: LabelSelectorSpec;
  /** Where there is none: `Allow` or `Deny`. */
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
