export { definedBy } from "./defined-by.ts";
export type {
  CustomResourceConversion,
  CustomResourceDefinitionManifest,
  CustomResourceDefinitionVersion,
  PrinterColumn,
  ScaleSubresource,
  WebhookClientConfig,
} from "./definition/custom-resource-definition.ts";
export { type DefinedKind, type DefinedObject, defineKind } from "./definition/define-kind.ts";
export { type DescribedResource, describedResource } from "./definition/described-resource.ts";
export type { KindDefinition, KindRules } from "./definition/kind-definition.ts";
export {
  type Permission,
  type PermissionOptions,
  type PermissionVerb,
  permissionFor,
} from "./definition/permission.ts";
export { type SampleOptions, sampleOf } from "./definition/sample-of.ts";
export {
  aggregateFieldErrors,
  type FieldError,
  type FieldErrorType,
  fieldError,
  fieldErrorMessage,
  fieldPath,
  omittedValue,
  toAggregateInvalid,
} from "./error/field-error.ts";
export { FieldPath } from "./error/field-path.ts";
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
} from "./error/status-error.ts";
export {
  findCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from "./object/conditions.ts";
export { addFinalizer, hasFinalizer, removeFinalizer } from "./object/finalizers.ts";
export {
  byKey,
  checkNamespace,
  checkObjectKey,
  isObjectName,
  joinKey,
  type KeyLike,
  keyOf,
  missingNamespace,
  type ObjectKey,
  splitKey,
} from "./object/key.ts";
export {
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  groupKindKey,
  gvkKey,
  isMetadataOnly,
  type Kind,
  kindOf,
  metadataOnly,
  type ObjectOf,
  parseApiVersion,
  type Scope,
  unstructured,
} from "./object/kind.ts";
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
} from "./object/object.ts";
export {
  AlreadyOwnedError,
  controllerOf,
  controllerReference,
  hasOwner,
  isAlreadyOwnedError,
  isControlledBy,
  type OwnerReferenceOptions,
  removeControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./object/owner-reference.ts";
export {
  isNoMatch,
  isStaleGroupVersionError,
  mappingOf,
  NoMatchError,
  pluralOf,
  type RESTMapper,
  type RESTMapping,
  StaleGroupVersionError,
  StaticRESTMapper,
  type StaticRESTMapping,
} from "./object/rest-mapper.ts";
export { Scheme } from "./object/scheme.ts";
export { DeletedFinalStateUnknown, isDeletedFinalStateUnknown } from "./object/tombstone.ts";
export { createJsonPatch } from "./patch/create-json-patch.ts";
export {
  applyJsonPatch,
  isJsonPatchError,
  isJsonPatchTestError,
  JsonPatchError,
  type JsonPatchOperation,
  JsonPatchTestError,
  patchInPlace,
  type RawOperation,
} from "./patch/json-patch.ts";
export { applyMergePatch, createMergePatch } from "./patch/merge-patch.ts";
export { isPatchError, PatchError } from "./patch/patch-error.ts";
export { applySchemaDefaults } from "./schema/apply-defaults.ts";
export { type CelOptions, cel, withRules } from "./schema/cel-rule.ts";
export { Condition, Conditions } from "./schema/condition-schema.ts";
export { toStructuralSchema } from "./schema/normalise.ts";
export { pruneToSchema } from "./schema/prune.ts";
export { type SchemaType, type TypedSchema, typedSchema } from "./schema/schema-type.ts";
export type { StructuralSchema, ValidationRule } from "./schema/structural-schema.ts";
export { validateAgainstSchema } from "./schema/validate.ts";
export {
  escapeFieldValue,
  type FieldRequirement,
  FieldSelector,
  fieldSelectorFrom,
  parseFieldSelector,
} from "./selector/field-selector.ts";
export type { LabelOperator, LabelRequirement } from "./selector/label-requirement.ts";
export {
  type LabelSelectorSpec,
  labelSelectorFrom,
  labelSelectorFromLabels,
  ParsedLabelSelector,
  parseLabelSelector,
} from "./selector/label-selector.ts";
export { createStrategicMergePatch } from "./strategic-merge/create-strategic-merge-patch.ts";
export type { PatchFieldSchema, PatchSchema } from "./strategic-merge/patch-schema.ts";
export { strategicMergePatch } from "./strategic-merge/strategic-merge-patch.ts";
export { findCause, isCutShort } from "./value/find-cause.ts";
export { parseFormatDuration } from "./value/format-duration.ts";
export { formatGoDuration, parseGoDuration, quoteTime, readGoDuration } from "./value/go-duration.ts";
export { formatGoNumber, quote, quoteList } from "./value/go-format.ts";
export { exactInteger, keepInteger, parseJson, parseJsonNumbers, stringifyJson, withIntegersOf } from "./value/json.ts";
export { JsonMembers } from "./value/json-members.ts";
export { isRecord, jsonEqual, ownMember, setOwnMember } from "./value/json-value.ts";
export { kubernetesVersion } from "./value/kubernetes-version.ts";
export { isErrorWithCode, KubewrightError } from "./value/kubewright-error.ts";
export {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  maxLengthMessage,
  regexMessage,
  validateQualifiedName,
} from "./value/names.ts";
export { isQuantityError, Quantity, QuantityError, type QuantityFormat } from "./value/quantity.ts";
export { compareResourceVersions } from "./value/resource-version.ts";
export { sealObjectPrototype } from "./value/seal-object-prototype.ts";
export { semanticEqual } from "./value/semantic-equal.ts";
export { ConversionError, isConversionError } from "./versions/conversion-error.ts";
export { withConversionWebhook } from "./versions/conversion-webhook.ts";
export { keptDataAnnotation } from "./versions/kept-data.ts";
export {
  type Converted,
  type ConvertedFields,
  preserving,
  type Spoke,
  type SpokeConversion,
  spoke,
} from "./versions/spoke.ts";
export { type SpokeVersion, type VersionedKind, versions } from "./versions/versions.ts";
export { type DefinitionAmendment, withDefinition } from "./with-definition.ts";
