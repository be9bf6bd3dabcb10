export {
  type Condition,
  findCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from "./conditions.ts";
export type {
  CustomResourceDefinitionManifest,
  CustomResourceDefinitionVersion,
  PrinterColumn,
  ScaleSubresource,
} from "./custom-resource-definition.ts";
export { type DefinedKind, type DefinedObject, defineKind, type KindDefinition } from "./define-kind.ts";
export {
  aggregateFieldErrors,
  type FieldError,
  type FieldErrorType,
  fieldError,
  fieldErrorBody,
  fieldErrorMessage,
  fieldPath,
  omittedValue,
  toAggregateInvalid,
} from "./field-error.ts";
export { FieldPath } from "./field-path.ts";
export {
  escapeFieldValue,
  type FieldRequirement,
  FieldSelector,
  fieldSelectorFrom,
  parseFieldSelector,
} from "./field-selector.ts";
export { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
export { findCause } from "./find-cause.ts";
export { formatGoNumber, formatGoValue, quote } from "./go-format.ts";
export { parseJson, stringifyJson } from "./json.ts";
export { endOfJsonValue } from "./json-bytes.ts";
export { JsonMembers } from "./json-members.ts";
export { applyJsonPatch, createJsonPatch, type JsonPatchOperation } from "./json-patch.ts";
export { isRecord, type JsonValue, jsonEqual } from "./json-value.ts";
export { joinKey, type KeyLike, keyOf, type ObjectKey, splitKey } from "./key.ts";
export {
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  groupKindKey,
  gvkKey,
  type Kind,
  kindOf,
  type ObjectOf,
  parseApiVersion,
  type Scope,
  unstructured,
} from "./kind.ts";
export type { LabelOperator, LabelRequirement } from "./label-requirement.ts";
export {
  LabelSelector,
  type LabelSelectorSpec,
  labelSelectorFrom,
  labelSelectorFromLabels,
  parseLabelSelector,
} from "./label-selector.ts";
export { applyMergePatch, createMergePatch } from "./merge-patch.ts";
export { isMetadataOnly, metadataOnly } from "./metadata-only.ts";
export {
  isCIdentifier,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  isHttpHeaderName,
  isLabelValue,
  isPathSegmentName,
  isRelaxedEnvVarName,
  isValidPercentage,
  isValidPortName,
  isValidPortNumber,
  isWildcardDns1123Subdomain,
  maxLengthMessage,
  regexMessage,
  validateQualifiedName,
} from "./names.ts";
export {
  type DeepMutable,
  type DeepReadonly,
  type KubeObject,
  type ListMeta,
  type ManagedFieldsEntry,
  mutableCopy,
  type NewObject,
  type NewObjectMeta,
  type ObjectMeta,
  type OwnerReference,
  type Stored,
  type Unstored,
  type Unstructured,
} from "./object.ts";
export { ownMember, setOwnMember } from "./own-member.ts";
export {
  AlreadyOwnedError,
  controllerOf,
  controllerReference,
  hasOwner,
  isAlreadyOwned,
  isControlledBy,
  type OwnerReferenceOptions,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.ts";
export { PatchError } from "./patch-error.ts";
export { Quantity, QuantityError, type QuantityFormat } from "./quantity.ts";
export { compareResourceVersions } from "./resource-version.ts";
export {
  isNoMatch,
  mappingOf,
  NoMatchError,
  pluralOf,
  type RESTMapper,
  type RESTMapping,
  StaticRESTMapper,
  type StaticRESTMapping,
} from "./rest-mapper.ts";
export { applySchemaDefaults } from "./schema/apply-defaults.ts";
export { matchesFormat } from "./schema/formats.ts";
export { SchemaError, toStructuralSchema } from "./schema/normalise.ts";
export { pruneToSchema } from "./schema/prune.ts";
export { type SchemaType, type TypedSchema, typedSchema } from "./schema/schema-type.ts";
export type { StructuralSchema, StructuralType, ValidationRule } from "./schema/structural-schema.ts";
export { validateAgainstSchema } from "./schema/validate.ts";
export { Scheme } from "./scheme.ts";
export { sealObjectPrototype } from "./seal-object-prototype.ts";
export { semanticEqual } from "./semantic-equal.ts";
export {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  gone,
  hasStatusCause,
  ignoreAlreadyExists,
  ignoreNotFound,
  internalError,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotFound,
  isServerTimeout,
  isServiceUnavailable,
  isStatusError,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  methodNotSupported,
  notFound,
  type QualifiedResource,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
} from "./status-error.ts";
export { noPatchSchema, type PatchFieldSchema, type PatchSchema } from "./strategic-merge/patch-schema.ts";
export { strategicMergePatch } from "./strategic-merge/strategic-merge-patch.ts";
export { DeletedFinalStateUnknown, isDeletedFinalStateUnknown } from "./tombstone.ts";
