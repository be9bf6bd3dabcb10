export type { CostEstimate, SizeOf } from "./cost/cost-estimate.ts";
export type { Estimate } from "./cost/estimates.ts";
export {
  CelCompileError,
  CelEnvironment,
  type CelProgram,
  type EnvironmentExtension,
  type Evaluation,
  isCelCompileError,
  parseSyntax,
  perCallLimit,
  runtimeCostBudget,
} from "./environment.ts";
export type { Bindings } from "./evaluation/frame.ts";
export { fromJson, toJson } from "./evaluation/json-value.ts";
export {
  type AskAuthorizer,
  type AuthorizationCheck,
  type AuthorizationQuestion,
  type AuthorizationResult,
  CelAuthorizer,
  CelResourceCheck,
  withAuthorizer,
} from "./library/authorizer.ts";
export { jsonPatch } from "./library/json-patch.ts";
export { kubernetesTypes } from "./library/kubernetes-types.ts";
export { type Expression, operators } from "./syntax/ast.ts";
export { lengthOf } from "./text/code-points.ts";
export { CostLimitExceededError, CostMeter, isCostLimitExceededError, metered } from "./text/cost-meter.ts";
export {
  type BadPattern,
  compilePattern,
  isBadPattern,
  isMatchingTooCostlyError,
  MatchingTooCostlyError,
  type Pattern,
} from "./text/regular-expression.ts";
export { CelList, CelStruct, type ListTopology, type MadeItems } from "./values/collections.ts";
export { type DeclField, type DeclType, objectType, plainType } from "./values/decl-type.ts";
export type { FunctionDeclaration, Overload } from "./values/declarations.ts";
export { escapeFieldName } from "./values/field-names.ts";
export { misplacedTypes, mutationTypes } from "./values/mutation-types.ts";
export { declTypeOf, type SchemaOfType, sizesOf } from "./values/schema-type.ts";
export type { StructProvider, StructType } from "./values/struct-provider.ts";
export { type CelType, celType, formatType, isSameType, type SimpleKind, typeName } from "./values/type.ts";
export { CelError, type CelNode, CelOptional, type CelValue, isError, typeOf } from "./values/value.ts";
