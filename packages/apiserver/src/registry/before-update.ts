import {
  type FieldError,
  fieldError,
  jsonEqual,
  mutableCopy,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { printStructs, settleNamespace } from "./before-create.ts";
import { afterDeclaredValidation, isDeclared } from "./declared-validation.ts";
import { metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta-validation.ts";
import {
  hasStatus,
  metadataIgnoredByStatus,
  type ReadonlyObject,
  type ServedResource,
  storedKind,
} from "./resource.ts";
import type { StrategyContext } from "./strategy.ts";

/**
 * The part of an object that an endpoint writes. With `whole` or `spec`, the object returned by a subresource is stored
 * unchanged; with `spec`, the write also increments the generation.
 */
export type WrittenPart = "main" | "status" | "whole" | "spec";

/**
 * Prepares the result of an update for storage: restores fields that the endpoint must not change, increments the
 * generation if necessary, validates the object, and converts it to its normal form.
 *
 * @throws {StatusError} 400 if the namespace is wrong, 422 if the object is not valid
 *
 * @see apiserver pkg/registry/rest BeforeUpdate
 */
export function beforeUpdate(
  resource: ServedResource,
  object: Unstructured,
  old: ReadonlyObject,
  part: WrittenPart,
  context: StrategyContext,
): Unstructured {
  const { strategy } = resource;
  settleNamespace(resource, object, context.namespace);
  const next = part === "status" ? onlyStatus(resource, object, old) : object;
  restoreSystemMetadata(next, old);
  if (part === "status") strategy.prepareForStatusUpdate?.(next, old as Unstructured, context);
  else if (part === "main") prepareMain(resource, next, old, context);
  else if (part === "whole") strategy.prepareForPartUpdate?.(next, old as Unstructured, context);
  else if (part === "spec") countGeneration(resource, next, old);
  const errors = afterDeclaredValidation(resource, [
    ...metadataErrors(resource, next, old, part),
    ...strategyErrors(resource, next, old, part, context),
  ]);
  if (errors.length > 0) throw toAggregateInvalid(storedKind(resource), next.metadata.name, errors);
  strategy.canonicalize?.(next);
  printStructs(resource, next);
  return next;
}

/** Returns the 422 error for a PUT without the `resourceVersion` that this kind requires. */
export const versionRequired = (resource: ServedResource, name: string): Error =>
  toAggregateInvalid({ group: resource.group, kind: resource.resource }, name, [
    fieldError.invalid("metadata.resourceVersion", 0, "must be specified for an update"),
  ]);

function prepareMain(
  resource: ServedResource,
  next: Unstructured,
  old: ReadonlyObject,
  context: StrategyContext,
): void {
  if (hasStatus(resource)) restoreStatus(next, old);
  resource.strategy.prepareForUpdate?.(next, old as Unstructured, context);
  countGeneration(resource, next, old);
}

function countGeneration(resource: ServedResource, next: Unstructured, old: ReadonlyObject): void {
  const { countsGeneration, generationAlsoCounts: also } = resource.strategy;
  if (!countsGeneration || also === "nothing") return;
  const isMarked = also !== undefined && !jsonEqual(next.metadata[also] ?? {}, old.metadata[also] ?? {});
  if (isMarked || !jsonEqual(countedPart(resource, next), countedPart(resource, old)))
    next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function countedPart(resource: ServedResource, object: ReadonlyObject): unknown {
  const { metadata: _metadata, status, apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return hasStatus(resource) ? rest : { ...rest, status };
}

/** Returns the stored object with the received status, and with the received metadata that `/status` accepts for this kind. */
function onlyStatus(resource: ServedResource, object: Unstructured, old: ReadonlyObject): Unstructured {
  const next = mutableCopy(old);
  restoreStatus(next, object);
  const ignored = metadataIgnoredByStatus(resource);
  const { managedFields, resourceVersion, uid } = object.metadata;
  if (ignored !== "all") {
    const kept = Object.fromEntries(ignored.map((name) => [name, next.metadata[name]]));
    next.metadata = { ...object.metadata, ...kept };
    for (const name of ignored) if (next.metadata[name] === undefined) delete next.metadata[name];
    return next;
  }
  if (managedFields) next.metadata.managedFields = managedFields;
  else delete next.metadata.managedFields;
  if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion;
  if (uid) next.metadata.uid = uid;
  return next;
}

function restoreStatus(next: Unstructured, from: ReadonlyObject): void {
  if (from.status === undefined) delete next.status;
  else next.status = mutableCopy(from.status);
}

/** Restores metadata that clients cannot change. */
function restoreSystemMetadata(next: Unstructured, old: ReadonlyObject): void {
  const meta = next.metadata;
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = old.metadata;
  if (!meta.uid && uid) meta.uid = uid;
  Object.assign(meta, { creationTimestamp, generation });
  if (deletionTimestamp) meta.deletionTimestamp ??= deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds;
  for (const name of ["creationTimestamp", "generation"] as const) if (meta[name] === undefined) delete meta[name];
}

function strategyErrors(
  { strategy }: ServedResource,
  next: Unstructured,
  old: ReadonlyObject,
  part: WrittenPart,
  context: StrategyContext,
): FieldError[] {
  if (part === "whole" || part === "spec")
    return strategy.validatePartUpdate?.(next, old as Unstructured, context) ?? [];
  if (part === "status") return strategy.validateStatusUpdate?.(next, old as Unstructured, context) ?? [];
  if (strategy.validateUpdate) return strategy.validateUpdate(next, old as Unstructured, context);
  return strategy.validate?.(next, context) ?? [];
}

/**
 * Returns the errors in the metadata. In upstream, strategies and the generic store both check metadata, so causes of kinds that are not
 * validated declaratively are repeated (but the message contains each of them only once).
 */
function metadataErrors(
  resource: ServedResource,
  next: Unstructured,
  old: ReadonlyObject,
  part: WrittenPart,
): FieldError[] {
  const rules = metaRulesOf(resource);
  // the generic store accepts names that the kind itself does not permit
  const whole = validateObjectMeta(next.metadata, { ...rules, nameRule: "pathSegment" });
  const changes = validateObjectMetaUpdate(next.metadata, old.metadata);
  if (whole.length + changes.length === 0 || isDeclared(resource)) return [...whole, ...changes];
  const changesAgain = resource.origin === "builtin" ? changes : [];
  const isWholeAgain = resource.group !== "apiextensions.k8s.io" && part !== "status";
  return [...whole, ...changes, ...changesAgain, ...(isWholeAgain ? validateObjectMeta(next.metadata, rules) : [])];
}
