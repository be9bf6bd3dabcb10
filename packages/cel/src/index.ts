export {
  CelCompileError,
  CelEnvironment,
  CelProgram,
  isCelCompileError,
  perCallLimit,
  runtimeCostBudget,
} from "./environment.ts";
export type { Bindings } from "./evaluation/frame.ts";
export { fromJson, toJson } from "./evaluation/json-value.ts";
export {
  type AskAuthorizer,
  type AuthorizationAnswer,
  type AuthorizationCheck,
  CelAuthorizer,
  CelResourceCheck,
  withAuthorizer,
} from "./library/authorizer.ts";
export { jsonPatch } from "./library/json-patch.ts";
export { kubernetesTypes } from "./library/kubernetes-types.ts";
export { lengthOf } from "./text/code-points.ts";
export { CostLimitExceededError, CostMeter, isCostLimitExceededError, metered } from "./text/cost-meter.ts";
export {
  compilePattern,
  isBadPattern,
  isMatchingTooCostlyError,
  MatchingTooCostlyError,
} from "./text/regular-expression.ts";
export { CelList, CelStruct } from "./values/collections.ts";
export { type DeclField, type DeclType, objectType, plainType } from "./values/decl-type.ts";
export { escapeFieldName } from "./values/field-names.ts";
export { misplacedTypes, mutationTypes } from "./values/mutation-types.ts";
export { declTypeOf, sizesOf } from "./values/schema-type.ts";
export { type CelType, celType, formatType, isSameType, typeName } from "./values/type.ts";
export { CelError, CelOptional, type CelValue, isError, typeOf } from "./values/value.ts";
