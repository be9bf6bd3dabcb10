export { CelList, CelStruct } from "./collections.ts";
export { type DeclField, type DeclType, objectType, plainType } from "./decl-type.ts";
export { CelCompileError, CelEnvironment, CelProgram, perCallLimit, runtimeCostBudget } from "./environment.ts";
export { escapeFieldName } from "./field-names.ts";
export type { Bindings } from "./frame.ts";
export { parseGoDuration } from "./go-text.ts";
export { fromJson, toJson } from "./json-value.ts";
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
export { misplacedTypes, mutationTypes } from "./mutation-types.ts";
export { compilePattern, isBadPattern, MatchingTooCostly } from "./regular-expression.ts";
export { declTypeOf, sizesOf } from "./schema-type.ts";
export { type CelType, celType, formatType, isSameType, typeName } from "./type.ts";
export { CelError, CelOptional, type CelValue, isError, typeOf } from "./value.ts";
