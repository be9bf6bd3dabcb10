import {
  type DeepReadonly,
  type GroupVersionKind,
  gvkKey,
  isErrorWithCode,
  isMetadataOnly,
  isNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  KubewrightError,
  missingNamespace,
  type Stored,
  splitKey,
} from "@kubewright/apimachinery";
import type {
  CachedReader,
  CaughtUpOptions,
  GetOptions,
  KubeList,
  ListOptions,
  NamedObject,
  Reader,
} from "@kubewright/client";
import { systemClock, type Timer, untilAborted } from "@kubewright/clock";
import { defaultLogger, errorText, type Logger, safeLogger } from "@kubewright/log";
import { cachedKindKey, cachedKindKeys } from "../informer/shared-informer.ts";
import { Latch } from "../informer/waiting.ts";
import { noMatchIn } from "../reflector/watch-errors.ts";
import { indexErrorLog } from "../store/indexes.ts";
import {
  type CacheDescription,
  type CachedKind,
  type CachedKindOptions,
  checkSettings,
  keptNamespaces,
} from "./cache-options.ts";
import type { CacheInformer, InformerGroup } from "./informer-group.ts";
import { type KeptNamespaces, KeptPart } from "./kept-part.ts";
import { type CachedKeys, type CachedKeysOptions, type CachedObjectInspection, KindCache } from "./kind-cache.ts";
import type { CommonInformerOptions } from "./kind-informers.ts";
import { LiveReader, refuseContinue } from "./list-queries.ts";
import { CacheExpectations, type WatchedKind } from "./write-expectations.ts";

/** Options for an {@link InformerCache}. @see controller-runtime pkg/cache Options */
export interface InformerCacheOptions extends CommonInformerOptions {
  /** Options for individual kinds. By default, the cache's settings apply to every kind. */
  readonly kinds?: readonly CachedKind[] | undefined;
  /**
   * True to make reads of a kind without an informer fail with a {@link ResourceNotCachedError} instead of starting an informer. Kinds can
   * be read if they are configured or indexed, or if their informer was requested. Default false.
   */
  readonly readerFailOnMissingInformer?: boolean | undefined;
  /** Logger. Default: warnings and errors go to standard error. */
  readonly logger?: Logger | undefined;
}

/** State of a kind's informers. */
export interface CachedKindInspection {
  readonly name: string;
  readonly hasSynced: boolean;
  /** Milliseconds since the last response from the server. Absent before the first response. */
  readonly ageMs?: number | undefined;
  /** Number of objects in memory. */
  readonly objects: number;
  /** True while a handler has not finished with changes that are already in memory. */
  readonly isDelivering: boolean;
  /** Most recent error that interrupted listing or watching. Absent if the server has responded since. */
  readonly lastError?: string | undefined;
  /** True if the last error means that the API server does not serve the kind, for example because its CRD is not installed. */
  readonly isUnserved?: boolean | undefined;
}

/** A {@link KindCache} of any kind: the members whose types do not depend on the objects. */
type AnyKindCache = Pick<
  KindCache<KubeObject>,
  "name" | "close" | "isKnown" | "describe" | "behind" | "inspectObject" | "inspectKeys"
> & {
  readonly group: AnyGroup | undefined;
  readonly settings: unknown;
};
type AnyGroup = Pick<
  InformerGroup<KubeObject>,
  | "name"
  | "unsyncedName"
  | "hasSynced"
  | "ageMs"
  | "lastError"
  | "objects"
  | "isDelivering"
  | "part"
  | "restart"
  | "synced"
  | "start"
  | "stopped"
>;

/**
 * A {@link Reader} that reads from memory. The cache starts watching a kind when the kind is first read or its informer
 * is first requested. The first read waits for the initial list; later reads do not wait. The returned objects are
 * shared and read-only.
 *
 * Reads lag behind writes until the watch delivers them. To wait for a write to appear, call {@link caughtUp}.
 *
 * @see controller-runtime pkg/cache
 */
export class InformerCache implements CachedReader {
  /** Expectations for writes that the cache does not show yet, used by callers that postpone work instead of waiting. */
  readonly expectations: CacheExpectations = new CacheExpectations((kind) => this.#watched(kind));
  readonly #options: CommonInformerOptions;
  readonly #failsOnMissing: boolean;
  readonly #logger: Logger;
  readonly #kinds = new Map<string, AnyKindCache>();
  /** Kind caches, keyed by `Kind` object, as a fast path. Most programs have one object per kind. */
  readonly #byKind = new WeakMap<Kind, AnyKindCache>();
  readonly #started = new Latch();
  #signal: AbortSignal | undefined;
  #stopping: AbortSignal | undefined;
  #kept: KeptNamespaces | undefined;
  #restarting: Timer | undefined;

  /** @throws {RangeError} if a setting is invalid; the message contains the field, its value and the remedy */
  constructor(options: InformerCacheOptions) {
    const { kinds = [], readerFailOnMissingInformer = false, ...common } = options;
    this.#logger = safeLogger(options.logger ?? defaultLogger());
    this.#options = { ...common, logger: this.#logger };
    this.#failsOnMissing = readerFailOnMissingInformer;
    checkSettings("cache", common);
    for (const cached of kinds) {
      if (this.#cached(cached.kind).settings)
        throw new RangeError(
          `kinds: ${cachedKindKey(cached.kind)} is listed twice; merge its settings into one byObject entry`,
        );
      cached.applyTo((kind, settings) => this.configure(kind, settings));
    }
  }

  /** Sets a kind's options. @throws {Error} if the kind already has an informer; {RangeError} if a setting is invalid */
  configure<T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>): void {
    this.#cached(kind).configure(options);
  }

  /**
   * Adds an index, which allows `list` to evaluate selectors on a field. `metadata.name` and `metadata.namespace` need no index.
   *
   * @param extract returns the field's values in an object. If it throws for an object, the error is logged, and selectors on the field do
   *   not find the object.
   * @throws {Error} if the field is already indexed with a different function
   * @see controller-runtime pkg/client FieldIndexer
   */
  indexField<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    extract: (object: Stored<DeepReadonly<T>>) => readonly string[],
  ): void {
    this.#cached(kind).indexField(field, extract);
  }

  /**
   * Returns a kind's informer. It is created on the first call and runs until the cache stops or {@link removeInformer} is called.
   *
   * @param options `isPartial` means that the objects of the namespaces in {@link keepOnly} suffice
   */
  getInformer<T extends KubeObject>(
    kind: Kind<T>,
    { isPartial = false }: { readonly isPartial?: boolean | undefined } = {},
  ): CacheInformer<T> {
    const cached = this.#cached(kind);
    if (isPartial && this.#kept && kind.scope === "Namespaced") return this.#open(cached, new KeptPart(this.#kept));
    const group = this.#open(cached);
    if (!isPartial) this.#keepAll(group);
    return group;
  }

  /**
   * Limits kinds to the objects of certain namespaces, now and whenever it is called again. It concerns the namespaced kinds of which only
   * informers with `isPartial` are requested, and whose settings list no namespaces. A read of added namespaces waits until their objects
   * are in memory. The first read that goes beyond the kept namespaces, such as a list of all namespaces, makes the cache keep the whole
   * kind from then on.
   *
   * It must be called before the informers are requested.
   */
  keepOnly(namespaces: KeptNamespaces): void {
    this.#kept = namespaces;
    const { clock = systemClock } = this.#options;
    const changed = this.#groups().filter(({ part }) => part?.keep(namespaces));
    // Usually, namespaces are added and removed several times in a row.
    if (changed.length > 0 && !this.#signal?.aborted)
      this.#restarting ??= clock.after(restartDelayMs, () => {
        this.#restarting = undefined;
        for (const group of this.#groups()) if (group.part?.isWhole === false) group.restart();
      });
  }

  /** Stops a kind's informer and drops its objects. Resolves when the informer has stopped. */
  async removeInformer(kind: Kind): Promise<void> {
    await this.#cached(kind).close();
  }

  /**
   * Runs all informers, including those created later, until the signal aborts.
   *
   * @param stopping signal that ends all waits, because the cache is about to stop. Reads of kinds that have not synced then fail with a
   *   {@link CacheStoppingError}, and other waits resolve to false. Synced kinds are still updated and can be read until `signal` aborts. A
   *   manager aborts `stopping` when it begins to stop, so that no reconcile waits for a sync that may never happen.
   * @throws {Error} if called twice
   */
  async run(signal: AbortSignal, stopping?: AbortSignal): Promise<void> {
    if (this.#signal) throw new Error("the cache has already been started");
    this.#signal = signal;
    this.#stopping = stopping;
    for (const { group } of this.#kinds.values()) group?.start(signal, stopping);
    this.#started.open();
    await untilAborted(signal);
    this.#restarting?.cancel();
    await Promise.all(this.#groups().map((group) => group.stopped()));
  }

  /**
   * Resolves to true once the cache is running and every informer created so far has its initial list, or to false if the signal aborts or
   * the cache stops first.
   */
  async waitForSync(signal?: AbortSignal): Promise<boolean> {
    if (!(await this.#started.wait(signal))) return false;
    const outcomes = await Promise.all(this.#groups().map((group) => group.synced(signal)));
    return outcomes.every(Boolean);
  }

  /**
   * Returns the object with the given key.
   *
   * @throws {StatusError} `NotFound` if the object does not exist
   * @throws {CacheNotStartedError} before {@link run}, if the kind has not synced
   * @throws {ResourceNotCachedError} with `readerFailOnMissingInformer`, if the kind has no informer
   * @throws {CacheStoppingError} if the cache begins to stop before the kind has synced
   * @throws {Error} if the key is not valid for this kind (for example, if it lacks a required namespace), or if its namespace is not
   *   cached
   */
  async get<T extends KubeObject>(
    kind: Kind<T>,
    key: KeyLike,
    options: GetOptions = {},
  ): Promise<Stored<DeepReadonly<T>>> {
    const cached = this.#cached(kind);
    const isLimited = cached.group?.part !== undefined;
    const namespace = isLimited ? splitKey(key).namespace : undefined;
    if (isLimited && !namespace) throw missingNamespace(`get ${kind.kind} ${splitKey(key).name}`);
    const readable =
      this.#readableNow(cached, namespace, options.signal) ??
      (await this.#readable(cached, splitKey(key).namespace, options.signal));
    try {
      return cached.get(readable, key);
    } catch (error) {
      const { namespace, name } = splitKey(key);
      if (namespace || !isNotFound(error) || !(await this.#isNamespaced(kind))) throw error;
      throw missingNamespace(`get ${kind.kind} ${name}`);
    }
  }

  /**
   * Returns the selected objects, in no particular order. Lists are not paged: if `limit` truncates the list,
   * `metadata.continue` is the marker `continue-not-supported`, which `list` does not accept as a token.
   *
   * @throws {CacheNotStartedError} before {@link run}, if the kind has not synced
   * @throws {ResourceNotCachedError} with `readerFailOnMissingInformer`, if the kind has no informer
   * @throws {CacheStoppingError} if the cache begins to stop before the kind has synced
   * @throws {Error} for a field without an index (see {@link indexField}), a namespace that is not cached, or a `continue` token
   */
  async list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    refuseContinue(options);
    const cached = this.#cached(kind);
    const readable =
      this.#readableNow(cached, options.namespace, options.signal) ??
      (await this.#readable(cached, options.namespace, options.signal));
    return cached.list(readable, options);
  }

  /**
   * Waits until the cache shows a write, or all changes up to a resource version. Starts no informer: kinds that are not cached count as
   * caught up.
   *
   * @param written the object that the write returned, or a resource version
   * @param options `timeoutMs` defaults to 10 seconds
   * @returns true once caught up; false on timeout, or if the signal aborts or the cache begins to stop first
   */
  async caughtUp(kind: Kind, written: NamedObject | string, options: CaughtUpOptions = {}): Promise<boolean> {
    const { signal, timeoutMs = 10_000 } = options;
    const expected =
      typeof written === "string"
        ? this.expectations.ofVersion(kind, written)
        : this.expectations.ofWrite(kind, written);
    if (expected.every(({ isMet }) => isMet)) return true;
    const { clock = systemClock } = this.#options;
    const over = new AbortController();
    const timer = clock.after(timeoutMs, () => over.abort());
    const end = AbortSignal.any([signal, this.#stopping, over.signal].filter((one) => one !== undefined));
    const outcomes = await Promise.all(expected.map((expectation) => expectation.met(end)));
    timer.cancel();
    return outcomes.every(Boolean);
  }

  /**
   * Compares each kind that has an informer with the server's current list, for use in tests. Lists all objects of these kinds.
   *
   * @param live reader of the server, with permission to list these kinds
   * @returns names of outdated objects (such as `v1, Kind=Pod default/web`): objects that the cache shows in an older version, does not
   * show yet, or still shows after their deletion. Kinds that have not synced are omitted.
   */
  async behind(live: Reader, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly string[]> {
    return (await Promise.all([...this.#kinds.values()].map((kind) => kind.behind(live, options)))).flat();
  }

  /** Returns the resources and namespaces that the cache reads: first the kinds with their own namespaces, then all others. */
  describe(): readonly CacheDescription[] {
    const single = [...this.#kinds.values()].flatMap((kind) => kind.describe() ?? []);
    return [...single, { namespaces: keptNamespaces(this.#options.namespaces) }];
  }

  /** Returns the current state of the informers. */
  inspect(): readonly CachedKindInspection[] {
    return this.#groups().map(({ name, hasSynced, isDelivering, ageMs, lastError, objects }) => ({
      name,
      hasSynced,
      isDelivering,
      ageMs: Number.isFinite(ageMs) ? ageMs : undefined,
      objects,
      ...(lastError === undefined ? {} : { lastError: errorText(lastError) }),
      ...(noMatchIn(lastError) ? { isUnserved: true } : {}),
    }));
  }

  /**
   * Returns the state of an object in the cache. Starts no informer, and does not wait. @throws {Error} if the key is
   * not valid
   */
  inspectObject(kind: Kind, key: KeyLike): CachedObjectInspection {
    const [watched] = this.#watched(kind);
    return watched?.inspectObject(key) ?? { state: "unknown" };
  }

  /**
   * Returns a page of the keys of a kind's objects. Starts no informer, and does not wait. If the kind has no informer, the page is empty.
   *
   * @param options `search` is text that the keys must contain, `namespace` the only namespace, and `after` the last key of the previous
   *   page
   */
  inspectKeys(kind: Kind, options: CachedKeysOptions): CachedKeys {
    const [watched] = this.#watched(kind);
    return watched?.inspectKeys(options) ?? { keys: [], total: 0 };
  }

  /** Returns a reader that sends the same queries to the server, including queries by indexed fields. */
  liveReader(reader: Reader): Reader {
    return new LiveReader(reader, (kind, field) => this.#cached(kind).extractOf(field), indexErrorLog(this.#logger));
  }

  /** Milliseconds since the server's last response, keyed by kind. `Infinity` before the first response. */
  get ages(): ReadonlyMap<string, number> {
    return new Map(this.#groups().map((group) => [group.name, group.ageMs]));
  }

  /**
   * Returns a readiness check: a function that throws if a kind has not synced, or if the server has not responded for `maxAgeMs`. Default
   * 5 minutes. Servers send a bookmark about once a minute, and a silent watch is replaced after two minutes.
   */
  readinessCheck(options: { readonly maxAgeMs?: number | undefined } = {}): () => void {
    const { maxAgeMs = 300_000 } = options;
    return () => {
      for (const group of this.#groups()) {
        const { name, hasSynced, ageMs, lastError } = group;
        if (!hasSynced) throw new Error(`the cache for ${group.unsyncedName()} has not synced`, { cause: lastError });
        if (ageMs > maxAgeMs)
          throw new Error(`the cache for ${name} has received nothing from the server for ${ageMs} ms`);
      }
    };
  }

  /**
   * Returns a kind's informers if a read need not wait for them. This saves later reads a promise.
   *
   * @param namespace namespace to read; only needed if the kind is limited to a part
   */
  #readableNow<T extends KubeObject>(
    { group }: KindCache<T>,
    namespace: string | undefined,
    signal: AbortSignal | undefined,
  ): InformerGroup<T> | undefined {
    const isReadable = group?.hasSynced && !signal?.aborted && group.part?.isStored(namespace) !== false;
    return isReadable ? group : undefined;
  }

  /** Waits for the informers of a namespace, or for all. A namespace that cannot be listed does not block reads of other namespaces. */
  async #readable<T extends KubeObject>(
    cached: KindCache<T>,
    namespace: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<InformerGroup<T>> {
    if (this.#failsOnMissing && !cached.isKnown) throw new ResourceNotCachedError(cached.kind);
    if (!this.#started.isOpen) throw new CacheNotStartedError();
    signal?.throwIfAborted();
    if (this.#isStopping && !cached.group) throw new CacheStoppingError(cached.name, undefined);
    const group = this.#open(cached);
    const { part } = group;
    if (part?.keeps(namespace) === false) this.#keepAll(group);
    if (group.hasSyncedIn(namespace) || (await group.synced(signal, namespace))) {
      if (!part || part.isStored(namespace)) return group;
      const over = [signal, this.#stopping].filter((one) => one !== undefined);
      await group.waitUntil(() => part.isStored(namespace) || !part.keeps(namespace), AbortSignal.any(over));
      if (part.isStored(namespace)) return group;
      const isMoved = !part.keeps(namespace) && !AbortSignal.any(over).aborted;
      if (isMoved) return this.#readable(cached, namespace, signal);
    }
    signal?.throwIfAborted();
    const { refusal } = group;
    if (refusal) throw refusal;
    const lastError = group.lastErrorIn(namespace);
    const name = group.unsyncedName(namespace);
    if (this.#isStopping) throw new CacheStoppingError(name, lastError);
    throw new Error(`the informer for ${name} was removed before it had synced${lastErrorText(lastError)}`, {
      cause: lastError,
    });
  }

  get #isStopping(): boolean {
    return this.#stopping?.aborted === true || this.#signal?.aborted === true;
  }

  /**
   * Queries the server for a kind's scope if the kind does not declare it. Returns false if the server does not respond, so that the object
   * counts as absent.
   */
  async #isNamespaced(kind: Kind): Promise<boolean> {
    const unknown = (): undefined => undefined;
    const mapping = kind.scope ? kind : await this.#options.client.mapper?.mappingFor(kind).catch(unknown);
    return mapping?.scope === "Namespaced";
  }

  /** Lets a kind that was limited to certain namespaces keep all objects from now on. */
  #keepAll(group: AnyGroup): void {
    if (!group.part?.keepAll()) return;
    this.#logger.info(
      { kind: group.name },
      "the kind is read beyond this replica's shards; it is cached whole from now on",
    );
    group.restart();
  }

  #open<T extends KubeObject>(cached: KindCache<T>, part?: KeptPart): InformerGroup<T> {
    const group = cached.open(this.#options, part);
    if (this.#signal) group.start(this.#signal, this.#stopping);
    return group;
  }

  #cached<T extends KubeObject>(kind: Kind<T>): KindCache<T> {
    const asked = this.#byKind.get(kind) as KindCache<T> | undefined;
    if (asked) return asked;
    const key = cachedKindKey(kind);
    const known = this.#kinds.get(key) as KindCache<T> | undefined;
    const cached = known ?? new KindCache(kind, () => this.#settingsOfWhole(kind));
    if (!known) this.#kinds.set(key, cached);
    this.#byKind.set(kind, cached);
    return cached;
  }

  /** The settings of a kind also apply to its `metadataOnly` form, whose transform then receives metadata objects. */
  #settingsOfWhole<T extends KubeObject>(kind: Kind<T>): CachedKindOptions<T> | undefined {
    const whole = isMetadataOnly(kind) ? this.#kinds.get(gvkKey(kind)) : undefined;
    return (whole as KindCache<T> | undefined)?.settings;
  }

  /** Returns the caches of a kind and of its `metadataOnly` form, if they have informers. */
  #watched(kind: Kind): (AnyKindCache & WatchedKind)[] {
    const watched: (AnyKindCache & WatchedKind)[] = [];
    for (const key of cachedKindKeys(kind)) {
      const known = this.#kinds.get(key);
      // Each entry is a `KindCache` of some type. With a group, it can be watched.
      if (known?.group) watched.push(known as AnyKindCache & WatchedKind);
    }
    return watched;
  }

  #groups(): AnyGroup[] {
    return [...this.#kinds.values()].flatMap(({ group }) => group ?? []);
  }
}

/** Time during which changes of the kept namespaces are collected before the informers list again. */
const restartDelayMs = 100;

/**
 * Thrown if the cache is read before it is started.
 *
 * @see controller-runtime pkg/cache ErrCacheNotStarted
 */
export class CacheNotStartedError extends KubewrightError {
  override readonly name = "CacheNotStartedError";
  readonly code = "ERR_CACHE_NOT_STARTED";

  constructor() {
    super("the cache is not started, can not read objects");
  }
}

/** Reports whether an error is a {@link CacheNotStartedError}. */
export const isCacheNotStartedError = isErrorWithCode<CacheNotStartedError>("ERR_CACHE_NOT_STARTED");

/**
 * Thrown by a read that waits for a kind to sync while the cache is stopping. `cause` is the last error that
 * interrupted listing or watching the kind.
 */
export class CacheStoppingError extends KubewrightError {
  override readonly name = "CacheStoppingError";
  readonly code = "ERR_CACHE_STOPPING";

  /** Always true, so that a stopping controller treats the error like an aborted signal; see `isCutShort`. */
  get isInterruption(): boolean {
    return true;
  }

  /** @param what name of the kind in the cache */
  constructor(what: string, lastError: unknown) {
    super(`the cache is stopping, and ${what} has not synced${lastErrorText(lastError)}`, { cause: lastError });
  }
}

/** Reports whether an error is a {@link CacheStoppingError}. */
export const isCacheStoppingError = isErrorWithCode<CacheStoppingError>("ERR_CACHE_STOPPING");

/** Returns the last error as a message suffix for waits that ended without success. */
function lastErrorText(lastError: unknown): string {
  if (lastError === undefined) return "";
  return `; last error: ${errorText(lastError)}`;
}

/**
 * Thrown when a kind without an informer is read from a cache with `readerFailOnMissingInformer`. The error does not
 * indicate whether the object exists.
 *
 * @see controller-runtime pkg/cache ErrResourceNotCached
 */
export class ResourceNotCachedError extends KubewrightError {
  override readonly name = "ResourceNotCachedError";
  readonly code = "ERR_RESOURCE_NOT_CACHED";
  readonly kind: GroupVersionKind;

  constructor(kind: GroupVersionKind) {
    super(
      `${gvkKey(kind)} is not cached: readerFailOnMissingInformer is set; add the kind to \`kinds\`, call getInformer first, ` +
        "or read from the server",
    );
    const { group, version, kind: name } = kind;
    this.kind = { group, version, kind: name };
  }
}

/** Reports whether an error is a {@link ResourceNotCachedError}. */
export const isResourceNotCachedError = isErrorWithCode<ResourceNotCachedError>("ERR_RESOURCE_NOT_CACHED");
