import {
  alreadyExists,
  mutableCopy,
  notFound,
  type QualifiedResource,
  quote,
  StatusError,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { type Clock, type Random, systemRandom } from "@kubewright/clock";
import { unexplained } from "@kubewright/codec";
import type { Storage, StorageListResult, StorageWatch, StoredObject, Update } from "@kubewright/storage";
import { isStorageError, watchersNotified } from "@kubewright/storage";
import { beforeCreate } from "./before-create.ts";
import { beforeUpdate, versionRequired, type WrittenPart } from "./before-update.ts";
import { ConvertedSelection } from "./converted-selection.ts";
import { checkDeletePreconditions, type DeletionOptions, decideDeletion, isFreedByUpdate } from "./deletion.ts";
import { finalizerWarnings } from "./object-meta-validation.ts";
import { predicateOf, type Selection } from "./predicate.ts";
import { type ReadonlyObject, type ServedResource, storedKind } from "./resource.ts";
import { staleVersion, statusOfStorageError } from "./storage-status.ts";
import type {
  AccessCheck,
  CheckedWrite,
  StoreListRequest,
  StoreWatchRequest,
  UpdateRequest,
  WriteContext,
} from "./store-requests.ts";
import type { StrategyContext } from "./strategy.ts";

const generateNameTries = 8;
/** Fields that a conversion cannot change. */
const identityFields: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"]);

interface StoreOptions {
  /** Called with each valid object, before validating admission. */
  readonly checkAccess?: AccessCheck | undefined;
  /** Source of UIDs and generated names. Default: the system's. */
  readonly random?: Random | undefined;
  /** Clock that determines the turns of the event loop. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A store for the objects of one resource in one version. Implements the behavior common to all kinds; the strategy
 * adds behavior that is specific to a kind.
 *
 * @see apiserver pkg/registry/generic/registry Store
 */
export class Store {
  readonly resource: ServedResource;
  readonly #storage: Storage;
  readonly #dryRunStorage: Storage;
  readonly #checkAccess: AccessCheck | undefined;
  readonly #random: Random;
  readonly #clock: Clock | undefined;

  /**
   * Creates a store for a resource.
   *
   * @param dryRunStorage storage with the same objects, which does not execute writes
   */
  constructor(
    resource: ServedResource,
    storage: Storage,
    dryRunStorage: Storage,
    { checkAccess, clock, random = systemRandom }: StoreOptions = {},
  ) {
    this.resource = resource;
    this.#storage = storage;
    this.#dryRunStorage = dryRunStorage;
    this.#checkAccess = checkAccess;
    this.#random = random;
    this.#clock = clock;
  }

  /** Maximum size of an object, as in {@link Storage.maxObjectBytes}. */
  get maxObjectBytes(): number | undefined {
    return this.#storage.maxObjectBytes;
  }

  /** Creates an object. @throws {StatusError} 400 or 422 if the object is not valid, 409 if it already exists */
  async create(
    object: Unstructured,
    context: WriteContext,
    validate: (object: Unstructured) => Promise<void> = async () => {},
  ): Promise<ReadonlyObject> {
    const generated = !object.metadata.name && object.metadata.generateName !== undefined;
    for (let tries = 1; ; tries++) {
      const draft = generated ? mutableCopy(object) : object;
      beforeCreate(this.resource, draft, context, this.#random);
      const { name } = draft.metadata;
      try {
        await this.#checkWrite({ object: draft, part: "main", context });
        await validate(draft);
        this.#warn(draft, undefined, context);
        if (!context.dryRun) checkNoVersion(draft);
        const { converter } = this.resource;
        const stored = converter ? await converter.toStored(draft) : draft;
        const made = await this.#writer(context).create(this.#key(context, name), stored, this.#ttl());
        return converter ? await this.#served(made) : made;
      } catch (error) {
        if (isStorageError(error, "KeyExists") && !generated) throw await this.#exists(context, name);
        if (!isStorageError(error, "KeyExists")) throw this.#status(error, name);
        if (tries >= generateNameTries) throw noUniqueName(this.#qualified, name);
      }
    }
  }

  /** Returns an object. @throws {StatusError} 404 if the object does not exist, 504 if the storage has not reached the version */
  async get(namespace: string, name: string, resourceVersion?: string): Promise<ReadonlyObject> {
    try {
      const stored = await this.#storage.get(this.#keyIn(namespace, name), {
        ...(resourceVersion ? { resourceVersion } : {}),
      });
      if (!stored) throw notFound(this.#qualified, name);
      return this.resource.converter ? await this.#served(stored) : stored;
    } catch (error) {
      throw this.#status(error, name);
    }
  }

  /**
   * Returns a list of objects.
   *
   * @throws {StatusError} 400 if an option is not valid, 410 if the version has expired, 504 if the storage has not reached the version
   */
  async list({ namespace, selection, ...options }: StoreListRequest): Promise<StorageListResult> {
    try {
      const prefix = this.#prefix(namespace);
      const request = { ...options, predicate: this.#predicate(selection) };
      const converted = this.#convertedSelection(selection);
      const result = await (converted ?? this.#storage).getList(prefix, request);
      const { items } = result;
      // upstream's type for lists of custom resources cannot contain this
      const shards = this.resource.origin === "builtin" ? selection.shards : undefined;
      const metadata = shards ? { ...result.metadata, shardInfo: { selector: shards.text } } : result.metadata;
      const { converter } = this.resource;
      return { items: converter && !converted ? await converter.toServed(items) : items, metadata };
    } catch (error) {
      throw this.#status(error, "");
    }
  }

  /** Watches objects in their stored form, which {@link served} converts to the form of this version. */
  watch({ namespace, selection, ...options }: StoreWatchRequest): StorageWatch {
    const oneKey = selection.name !== undefined && (namespace !== "" || this.resource.scope === "Cluster");
    const prefix = oneKey ? this.#keyIn(namespace, selection.name ?? "") : this.#prefix(namespace);
    const source = this.#convertedSelection(selection) ?? this.#storage;
    return source.watch(prefix, { ...options, predicate: this.#predicate(selection) });
  }

  /** Returns a stored object in the form of this version, possibly from a cache. */
  async served(stored: StoredObject): Promise<ReadonlyObject> {
    if (!this.resource.converter) return stored;
    const [served] = await this.resource.converter.toServed([stored]);
    return served ?? stored;
  }

  /**
   * Updates an object.
   *
   * @throws {StatusError} 400 or 422 if the new object is not valid, 404 if the object does not exist, 409 if there is a conflict
   */
  async update(
    request: UpdateRequest,
    context: WriteContext,
  ): Promise<{ readonly object: ReadonlyObject; readonly created: boolean }> {
    const { name, part } = request;
    const mayCreate = request.forceCreate || (this.resource.strategy.allowCreateOnUpdate ?? false);
    let created = false;
    try {
      const stored = await this.#writer(context).guaranteedUpdate(
        this.#key(context, name),
        { ignoreNotFound: mayCreate, ...(request.preconditions ? { preconditions: request.preconditions } : {}) },
        async (current) => {
          created = current === undefined;
          if (!current) return this.#createByUpdate(request, context);
          const old = await this.#served(current);
          const next = await request.transform(old);
          this.#checkVersion(next, old);
          const ready = beforeUpdate(this.resource, next, old, part, context);
          await this.#checkWrite({ object: ready, old, part, context });
          await request.validateUpdate?.(ready, old);
          this.#warn(ready, old, context, part);
          if (isFreedByUpdate(this.resource, ready, old)) {
            if (old.metadata.resourceVersion) ready.metadata.resourceVersion = old.metadata.resourceVersion;
            return { remove: true, answer: ready };
          }
          return { object: await this.#toStored(ready), ...this.#ttl() };
        },
      );
      return { object: await this.#served(stored), created };
    } catch (error) {
      throw this.#status(error, name);
    }
  }

  /**
   * Deletes an object. Returns the object in its last state, or in its state while it is being deleted, and whether it was removed.
   *
   * @throws {StatusError} 404 if the object does not exist, 409 if a precondition is not met
   */
  async delete(
    name: string,
    options: DeletionOptions,
    context: WriteContext,
    validate: (current: ReadonlyObject) => Promise<void> = async () => {},
  ): Promise<{ readonly object: ReadonlyObject; readonly gone: boolean }> {
    let gone = false;
    const key = this.#key(context, name);
    const writer = this.#writer(context);
    try {
      const object = await writer.guaranteedUpdate(key, {}, async (current) => {
        if (!current) throw notFound(this.#qualified, name);
        const old = await this.#served(current);
        checkDeletePreconditions(this.resource, old, options.preconditions);
        await validate(old);
        const decision = decideDeletion(this.resource, old, options, context);
        gone = decision.type === "remove" || (decision.type === "update" && decision.thenRemove);
        if (decision.type === "remove") return { remove: true };
        if (decision.type === "pending") return { object: mutableCopy(current) };
        return { object: await this.#toStored(decision.object) };
      });
      if (gone && this.resource.strategy.gracePeriodSeconds) {
        // a controller that is notified of the deletion timestamp may read the object; in upstream, the object still exists until etcd
        // has removed it
        await watchersNotified(this.#clock);
        const { uid, resourceVersion } = object.metadata;
        await writer.delete(key, { preconditions: { uid, resourceVersion } }).catch(ignoreChangedMeanwhile);
      }
      return { object: await this.#served(object), gone };
    } catch (error) {
      throw this.#status(error, name);
    }
  }

  count(namespace = ""): Promise<number> {
    return this.#storage.count(this.#prefix(namespace));
  }

  async #createByUpdate(request: UpdateRequest, context: WriteContext): Promise<Update> {
    const next = await request.transform(undefined);
    if (next.metadata.uid && !request.forceCreate) {
      const uid = next.metadata.uid;
      throw new StatusError({
        ...staleVersion(this.#qualified, request.name).status,
        message: `Operation cannot be fulfilled on ${this.#title} "${request.name}": Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
      });
    }
    beforeCreate(this.resource, next, context, this.#random);
    await this.#checkWrite({ object: next, part: request.part, context });
    await request.validateCreate?.(next);
    this.#warn(next, undefined, context);
    return { object: await this.#toStored(next), ...this.#ttl() };
  }

  /** Checks additional permissions that a write requires. @throws {StatusError} 422 if a permission is missing */
  async #checkWrite(write: CheckedWrite): Promise<void> {
    if (!this.#checkAccess) return;
    const errors = await this.#checkAccess(write);
    if (errors.length > 0) throw toAggregateInvalid(storedKind(this.resource), write.object.metadata.name, errors);
  }

  /**
   * Returns a 409 error, because an object with this name already exists. Its message also states whether that object
   * is being deleted.
   */
  async #exists(context: StrategyContext, name: string): Promise<StatusError> {
    const refusal = alreadyExists(this.#qualified, name);
    const present = await this.#storage.get(this.#key(context, name), { ignoreNotFound: true });
    if (!present?.metadata.deletionTimestamp) return refusal;
    return new StatusError({ ...refusal.status, message: `object is being deleted: ${refusal.status.message}` });
  }

  #warn(next: Unstructured, old: ReadonlyObject | undefined, context: WriteContext, part?: WrittenPart): void {
    const { strategy } = this.resource;
    if (part === "status" && this.resource.origin === "builtin") return; // errors in the spec have already been reported
    const found = old
      ? strategy.warningsOnUpdate?.(next, old as Unstructured, context)
      : strategy.warningsOnCreate?.(next, context);
    for (const text of [...(found ?? []), ...finalizerWarnings(this.resource, next.metadata, old?.metadata)])
      context.warn(text);
  }

  #checkVersion(next: Unstructured, old: ReadonlyObject): void {
    const { resourceVersion = "", name } = next.metadata;
    if (resourceVersion === "" || resourceVersion === "0") {
      if (this.resource.strategy.allowUnconditionalUpdate ?? true) return;
      throw versionRequired(this.resource, name);
    }
    if (!/^\d+$/.test(resourceVersion))
      throw unexplained(`strconv.ParseUint: parsing ${quote(resourceVersion)}: invalid syntax`);
    if (resourceVersion !== old.metadata.resourceVersion) throw staleVersion(this.#qualified, name);
  }

  #predicate(selection: Selection) {
    const { converter, strategy } = this.resource;
    if (!converter || converter.toServedAnew) return predicateOf(selection, strategy);
    return predicateOf(selection, strategy, (stored) => {
      const served = converter.toServed([stored]);
      return Array.isArray(served) ? ((served[0] as StoredObject | undefined) ?? stored) : stored;
    });
  }

  /** Returns the selection of objects by their converted form if another server converts them and the selectors refer to their content. */
  #convertedSelection({ labels, fields }: Selection): ConvertedSelection | undefined {
    const { converter } = this.resource;
    const refersToContent = fields?.requirements.some(({ field }) => !identityFields.has(field)) || !labels.isEmpty;
    if (!converter?.toServedAnew || !refersToContent) return undefined;
    const keyOf = ({ metadata }: StoredObject): string => this.#keyIn(metadata.namespace ?? "", metadata.name);
    return new ConvertedSelection(this.#storage, converter, keyOf);
  }

  async #served(stored: StoredObject): Promise<ReadonlyObject> {
    return this.resource.converter?.toServedAnew?.(stored) ?? this.served(stored);
  }

  async #toStored(object: Unstructured): Promise<Unstructured> {
    return this.resource.converter ? this.resource.converter.toStored(object) : object;
  }

  #writer(context: WriteContext): Storage {
    return context.dryRun ? this.#dryRunStorage : this.#storage;
  }

  #ttl(): { ttlSeconds?: number } {
    const { ttlSeconds } = this.resource.strategy;
    return ttlSeconds === undefined ? {} : { ttlSeconds };
  }

  #key(context: StrategyContext, name: string): string {
    return this.#keyIn(context.namespace, name);
  }

  #keyIn(namespace: string, name: string): string {
    return `${this.#prefix(namespace)}${name}`;
  }

  #prefix(namespace: string): string {
    const { storagePrefix, scope } = this.resource;
    return scope === "Namespaced" && namespace !== "" ? `${storagePrefix}${namespace}/` : storagePrefix;
  }

  get #qualified(): QualifiedResource {
    return { group: this.resource.group, resource: this.resource.resource };
  }

  get #title(): string {
    return this.resource.group === "" ? this.resource.resource : `${this.resource.resource}.${this.resource.group}`;
  }

  #status(error: unknown, name: string): unknown {
    return statusOfStorageError(error, this.#qualified, name);
  }
}

function noUniqueName(resource: QualifiedResource, name: string): StatusError {
  const { status } = alreadyExists(resource, name);
  return new StatusError({
    ...status,
    message: `object is being created: ${status.message}, the server was not able to generate a unique name for the object`,
  });
}

/** Ignores the error if the object was removed or changed in the meantime, because the other writer then removes the object. */
function ignoreChangedMeanwhile(error: unknown): void {
  if (!isStorageError(error, "KeyNotFound") && !isStorageError(error, "InvalidObject")) throw error;
}

/**
 * Checks that a new object has no `resourceVersion`. In upstream, the storage makes this check, so it comes last: all other errors take
 * precedence. It is made here because a dry run does not reach the storage.
 */
function checkNoVersion({ metadata }: Unstructured): void {
  if (/^0*[1-9]\d*$/.test(metadata.resourceVersion ?? ""))
    throw unexplained("resourceVersion should not be set on objects to be created");
}
