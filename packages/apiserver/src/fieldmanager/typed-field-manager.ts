import {
  apiVersionOf,
  badRequest,
  type DeepReadonly,
  type GroupVersionKind,
  jsonEqual,
  mutableCopy,
  type Unstructured,
} from "@kubewright/apimachinery";
import { asObjectMeta, unexplained } from "@kubewright/codec";
import type { TypeSchema } from "@kubewright/codec/schema";
import { checkApplied, joinMessages } from "./check-applied.ts";
import { ApplyConflicts } from "./conflict.ts";
import type { FieldManager, FieldManagerOptions } from "./field-manager.ts";
import { FieldSet } from "./field-set.ts";
import { conflictsBeyondLastApplied, migratingManager, refreshLastApplied } from "./last-applied.ts";
import { leastBytes } from "./least-bytes.ts";
import {
  capManagers,
  decodeManagers,
  encodeEntry,
  encodeManagers,
  isReset,
  type Managers,
  managerId,
} from "./managers.ts";
import { applyConfiguration, ownAfterUpdate, type Writer } from "./ownership.ts";
import { hasSameShape, shapeOf } from "./same-shape.ts";

/** Kind and schema of the objects whose fields are managed. */
export interface FieldManagerType {
  readonly gvk: GroupVersionKind;
  readonly schema: TypeSchema;
  /**
   * Versions (`group/version`) to which objects can be converted, for a type whose converter rejects all other versions. If conversion
   * changes only `apiVersion`, each version has its schema here. If an entry has a version that is not listed (for example, because it
   * was removed from a CRD), or the schema of the version lacks some of the object's fields, an apply fails and an update drops all
   * managed fields. Default: entries of any version are accepted.
   */
  readonly convertibleVersions?: ReadonlyMap<string, () => TypeSchema | undefined> | undefined;
}

/**
 * Creates the field manager for a type in a particular version.
 *
 * @see apimachinery pkg/util/managedfields NewDefaultFieldManager
 */
export function createFieldManager(type: FieldManagerType): FieldManager {
  return new TypedFieldManager(type);
}

/** Maximum number of shapes of recently created objects for which the owned fields are cached. */
const keptShapes = 4;

class TypedFieldManager implements FieldManager {
  #createdLately: readonly { readonly shape: unknown; readonly fields: FieldSet }[] = [];
  readonly #gvk: GroupVersionKind;
  readonly #schema: TypeSchema;
  readonly #convertibleVersions: FieldManagerType["convertibleVersions"];

  constructor({ gvk, schema, convertibleVersions }: FieldManagerType) {
    this.#gvk = gvk;
    this.#schema = schema;
    this.#convertibleVersions = convertibleVersions;
  }

  update(live: DeepReadonly<Unstructured> | undefined, next: Unstructured, options: FieldManagerOptions): Unstructured {
    if (!live && next.metadata.managedFields === undefined && options.subresource === "")
      return this.#created(next, options);
    const managers = managersAfterRequest(live, next, options);
    const result = sharedWithoutManagedFields(next);
    // an existing object without managed fields is not tracked before the first apply
    if (managers.size === 0 && live?.metadata.uid) return result;
    const before = live ? sharedWithoutManagedFields(live) : this.#emptyObject();
    if (this.#inconvertible(before, managers) !== undefined) return result;
    this.#refuseTooLarge(result, options, live);
    const writer = this.#writer("Update", options);
    ownAfterUpdate(before, result, this.#schema, managers, writer);
    capManagers(managers);
    return withManagedFields(result, managers, live);
  }

  /** Returns a new object with managed fields: its creator owns all of its fields. */
  #created(object: Unstructured, options: FieldManagerOptions): Unstructured {
    this.#refuseTooLarge(object, options);
    const writer = this.#writer("Update", options);
    const fields = this.#fieldsOfCreated(object, writer);
    if (fields) object.metadata.managedFields = [encodeEntry({ ...writer.entry, fields })];
    return object;
  }

  /**
   * Returns the fields that the creator of an object owns. The result is cached by shape, because most new objects are similar, and the
   * creators of similar objects own the same fields.
   */
  #fieldsOfCreated(object: Unstructured, writer: Writer): FieldSet | undefined {
    for (const { shape, fields } of this.#createdLately) if (hasSameShape(shape, object)) return fields;
    const managers: Managers = new Map();
    ownAfterUpdate(this.#emptyObject(), object, this.#schema, managers, writer);
    const fields = managers.get(writer.id)?.fields;
    const shape = shapeOf(object);
    if (fields && shape) this.#createdLately = [{ shape, fields }, ...this.#createdLately.slice(0, keptShapes - 1)];
    return fields;
  }

  apply(
    live: DeepReadonly<Unstructured> | undefined,
    patch: Unstructured,
    options: FieldManagerOptions & { readonly force: boolean },
  ): Unstructured {
    this.#checkPatch(patch);
    this.#refuseTooLarge(patch, options);
    const before = live ? withoutManagedFields(live) : this.#emptyObject();
    const managers = decodeManagers(live?.metadata.managedFields) ?? new Map();
    const inconvertible = this.#inconvertible(before, managers);
    if (inconvertible !== undefined) throw unexplained(inconvertible);
    if (managers.size === 0) {
      const writer = this.#writer("Update", { ...options, manager: "before-first-apply" });
      ownAfterUpdate(this.#emptyObject(), before, this.#schema, managers, writer);
    }
    const writer = { ...this.#writer("Apply", options), force: options.force };
    const result = this.#applyWithMigration(before, patch, managers, writer);
    keepTimeOfUnchanged(before, result, managers, writer.id);
    if (options.manager === migratingManager) refreshLastApplied(result.object, patch);
    return withManagedFields(result.object, result.managers, live);
  }

  #refuseTooLarge(
    object: Unstructured,
    { maxBytes = Number.POSITIVE_INFINITY, resetFields }: FieldManagerOptions,
    live?: DeepReadonly<Unstructured>,
  ): void {
    if (maxBytes === Number.POSITIVE_INFINITY) return;
    const ignored = resetFields.map(([name = ""]) => name);
    if (leastBytes(object, this.#schema, ignored, live) > maxBytes)
      throw unexplained("etcdserver: request is too large");
  }

  #applyWithMigration(
    live: Unstructured,
    patch: Unstructured,
    managers: Managers,
    writer: Writer & { readonly force: boolean },
  ): { readonly object: Unstructured; readonly managers: Managers } {
    const attempt = (force: boolean): { readonly object: Unstructured; readonly managers: Managers } => {
      const own: Managers = new Map(managers);
      const { metadata, ...rest } = applyConfiguration(live, patch, this.#schema, own, { ...writer, force });
      const object = { ...rest, apiVersion: live.apiVersion, kind: live.kind, metadata: asObjectMeta(metadata) };
      return { object, managers: own };
    };
    try {
      return attempt(writer.force);
    } catch (error) {
      if (!(error instanceof ApplyConflicts)) throw error;
      const staying =
        writer.entry.manager === migratingManager ? conflictsBeyondLastApplied(error, live, this.#schema) : error;
      if (staying) throw staying.toStatusError();
      return attempt(true);
    }
  }

  /**
   * Checks whether the object can be converted to the versions of all entries of `managedFields`. Returns `undefined` if it can; otherwise,
   * returns the reason why it cannot be converted to the first such version.
   */
  #inconvertible(live: DeepReadonly<Unstructured> | Unstructured, managers: Managers): string | undefined {
    const versions = this.#convertibleVersions;
    if (!versions) return undefined;
    const own = apiVersionOf(this.#gvk);
    for (const version of new Set(Array.from(managers.values(), ({ apiVersion }) => apiVersion))) {
      if (version === own) continue;
      const schemaOf = versions.get(version);
      if (!schemaOf) return `request to convert CR to an invalid group/version: ${version}`;
      const schema = schemaOf();
      const errors = schema ? checkApplied(live, schema) : [];
      if (errors.length > 0) return joinMessages(errors);
    }
    return undefined;
  }

  #checkPatch(patch: Unstructured): void {
    const { group, version, kind } = this.#gvk;
    if (patch.kind !== kind || patch.apiVersion !== apiVersionOf(this.#gvk))
      throw badRequest(`invalid object type: ${goGroupVersion(patch.apiVersion)}, Kind=${patch.kind}`);
    const managedFields: unknown = patch.metadata.managedFields;
    if (managedFields !== undefined && managedFields !== null) throw badRequest("metadata.managedFields must be nil");
    const errors = checkApplied(patch, this.#schema);
    if (errors.length === 0) return;
    const { namespace = "" } = patch.metadata;
    const name = typeof patch.metadata.name === "string" ? patch.metadata.name : "";
    throw unexplained(
      `failed to create typed patch object (${namespace}/${name}; ${goGroupVersion(apiVersionOf({ group, version }))}, Kind=${kind}): ${joinMessages(errors)}`,
    );
  }

  #writer(operation: "Apply" | "Update", options: FieldManagerOptions): Writer {
    const entry = {
      manager: options.manager === "" ? "unknown" : options.manager,
      operation,
      apiVersion: apiVersionOf(this.#gvk),
      subresource: options.subresource,
      time: options.time,
    };
    const excluded =
      options.resetFields.length === 0
        ? FieldSet.empty
        : FieldSet.of(...options.resetFields.map((path) => path.map((name) => `f:${name}`)));
    return { id: managerId(entry), entry, excluded };
  }

  #emptyObject(): Unstructured {
    return { apiVersion: apiVersionOf(this.#gvk), kind: this.#gvk.kind, metadata: asObjectMeta({}) };
  }
}

/**
 * Formats a group version like Go, which prints the slash even for the core group (`/v1`), and `/` if group and version are both
 * empty.
 */
const goGroupVersion = (apiVersion: string): string => (apiVersion.includes("/") ? apiVersion : `/${apiVersion}`);

/**
 * Keeps the previous time of a manager whose apply changes nothing. A new manager has no previous time, so its entry
 * has none.
 */
function keepTimeOfUnchanged(
  before: Unstructured,
  result: { readonly object: Unstructured; readonly managers: Managers },
  earlier: Managers,
  id: string,
): void {
  const entry = result.managers.get(id);
  if (entry && jsonEqual(before, result.object)) result.managers.set(id, { ...entry, time: earlier.get(id)?.time });
}

/** Returns an object without managed fields, which shares all other parts with the original. */
function sharedWithoutManagedFields<T extends DeepReadonly<Unstructured>>(object: T): T {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns a deep copy of an object without managed fields. */
function withoutManagedFields(object: DeepReadonly<Unstructured> | Unstructured): Unstructured {
  const copy: Unstructured = mutableCopy(object);
  delete copy.metadata.managedFields;
  return copy;
}

/**
 * Returns the managers before a write. If the request uses the main endpoint and contains valid managers, these are returned; otherwise,
 * the stored managers.
 */
function managersAfterRequest(
  live: DeepReadonly<Unstructured> | undefined,
  next: Unstructured,
  { subresource }: FieldManagerOptions,
): Managers {
  const stored = (): Managers => decodeManagers(live?.metadata.managedFields) ?? new Map();
  if (subresource !== "") return stored();
  if (isReset(next.metadata.managedFields)) return new Map();
  const sent = decodeManagers(next.metadata.managedFields);
  return sent === undefined || sent.size === 0 ? stored() : sent;
}

/** Returns the object with its new managed fields, or with the stored ones if only times would change. */
function withManagedFields(
  object: Unstructured,
  managers: Managers,
  live: DeepReadonly<Unstructured> | undefined,
): Unstructured {
  const list = encodeManagers(managers);
  const stored = live?.metadata.managedFields;
  if (live && list && stored && jsonEqual(withoutTimes(list), withoutTimes(stored))) {
    if (jsonEqual(sharedWithoutManagedFields(live), object)) return mutableCopy(live);
  }
  return list ? { ...object, metadata: { ...object.metadata, managedFields: list } } : object;
}

/**
 * Reports whether a write changes only times in `managedFields`. If so, the caller keeps the stored object and its
 * version.
 *
 * @param next the new object in its stored form: for example, a built-in type has no empty lists
 * @see apimachinery util/managedfields IgnoreManagedFieldsTimestampsTransformer
 */
export function changesOnlyTimes(live: DeepReadonly<Unstructured>, next: Unstructured): boolean {
  const [stored, list] = [live.metadata.managedFields, next.metadata.managedFields];
  if (!stored || !list || jsonEqual(stored, list) || !jsonEqual(withoutTimes(stored), withoutTimes(list))) return false;
  return jsonEqual(sharedWithoutManagedFields(live), sharedWithoutManagedFields(next));
}

const withoutTimes = (list: readonly { readonly time?: string }[]): unknown =>
  list.map(({ time: _time, ...rest }) => rest);
