export {
  type AdmissionAttributes,
  AdmissionChain,
  type AdmissionOperation,
  type AdmissionPlugin,
} from "./admission.ts";
export { admissionForbidden, aggregateText } from "./admission-forbidden.ts";
export type { ServedResources } from "./equivalent-resources.ts";
export { type NamespaceLookup, namespaceLifecycle } from "./namespace-lifecycle.ts";
export type { Compiled, ScopeOptions } from "./policy/expression-scope.ts";
export { ExpressionScope, patchTypes } from "./policy/expression-scope.ts";
export type { ParamReader } from "./policy/params.ts";
export type {
  AdmissionPolicy,
  AdmissionPolicyBinding,
  AuditAnnotation,
  MatchCondition,
  MatchResources,
  Mutation,
  NamedRule,
  ParamKind,
  ParamRef,
  PolicySpec,
  Rule,
  Validation,
  Variable,
} from "./policy/policy-types.ts";
export type { ExpressionWarning, TypeSource } from "./policy/type-checking.ts";
export { expressionWarnings } from "./policy/type-checking.ts";
export { Reinvocation } from "./reinvocation.ts";
export { isReview } from "./rules.ts";
export { WatchedObjects } from "./watched-objects.ts";
