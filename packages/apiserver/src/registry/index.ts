export { beforeCreate, settleNamespace } from "./before-create.ts";
export type { WrittenPart } from "./before-update.ts";
export { checkDeletePreconditions, type DeletionOptions } from "./deletion.ts";
export { ageCell, humanDuration } from "./duration.ts";
export { isInt64 } from "./int64.ts";
export { labelErrors } from "./label-validation.ts";
export { generateName } from "./name-generator.ts";
export { predicateOf, type Selection } from "./predicate.ts";
export type {
  ReadonlyObject,
  ResourceInfo,
  ResourceVerb,
  ServedResource,
  SubresourceInfo,
  VersionConverter,
} from "./resource.ts";
export type { Store } from "./store.ts";
export type {
  AccessCheck,
  CheckedWrite,
  StoreListRequest,
  StoreWatchRequest,
  UpdateRequest,
  WriteContext,
} from "./store-requests.ts";
export type { FieldValue, KindStrategy, NameRule, ScalePaths, StrategyContext } from "./strategy.ts";
export type { TableCell, TableColumn } from "./table-column.ts";
export { ageColumn, createdAtColumn, defaultColumns, nameColumn } from "./table-columns.ts";
