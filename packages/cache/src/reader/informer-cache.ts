import type { DeepReadonly, KeyLike, Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type {
  CachedReader,
  CaughtUpOptions,
  GetOptions,
  KubeList,
  ListOptions,
  NamedObject,
  Reader,
} from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { defaultLogger, type Logger } from "@kubewright/log";
import { cachedKindKey, cachedKindKeys } from "../informer/cached-kind-key.ts";
import { Latch } from "../informer/latch.ts";
import { indexErrorLog } from "../store/index-error.ts";
import type { CachedKindOptions, InformerCacheOptions } from "./informer-cache-options.ts";
import type { CacheInformer, InformerGroup } from "./informer-group.ts";
import { KindCache } from "./kind-cache.ts";
import { LiveReader } from "./live-reader.ts";
import { type WatchedKind, WriteExpectations } from "./write-expectations.ts";

/** Objects were asked for before the cache was started. */
export class CacheNotStartedError extends Error {
  override readonly name = "CacheNotStartedError";

  constructor() {
    super("the cache is not started, can not read objects");
  }
}

/** What does not depend on the type of a kind's objects. */
type AnyKindCache = Pick<KindCache<KubeObject>, "name" | "close"> & { readonly group: AnyGroup | undefined };
type AnyGroup = Pick<
  InformerGroup<KubeObject>,
  "name" | "hasSynced" | "ageMs" | "lastError" | "synced" | "start" | "stopped"
>;

/**
 * A {@link Reader} that answers from memory. A kind is watched from the time somebody first reads it or asks for its informer;
 * that first read waits for the first state, later ones do not wait at all. What is read is shared and read-only.
 *
 * A read may be older than what was just written: the cache learns of writes when its watch does. {@link caughtUp} waits for that.
 *
 * @see controller-runtime pkg/cache
 */
export class InformerCache implements CachedReader {
  /** What is yet to be shown of writes, for those who would rather be told than wait here. */
  readonly expectations: WriteExpectations = new WriteExpectations((kind) => this.#watched(kind));
  readonly #options: InformerCacheOptions;
  readonly #logger: Logger;
  readonly #kinds = new Map<string, AnyKindCache>();
  /** The same, by the kinds that were asked for: most programs have one value for each. */
  readonly #byKind = new WeakMap<Kind, AnyKindCache>();
  readonly #started = new Latch();
  #signal: AbortSignal | undefined;

  constructor(options: InformerCacheOptions) {
    this.#logger = options.logger ?? defaultLogger();
    this.#options = { ...options, logger: this.#logger };
  }

  /** Says what is to be kept of a kind. @throws {Error} if the kind has an informer already */
  configure<T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>): void {
    this.#cached(kind).configure(options);
  }

  /**
   * Lets `list` select by a field, of which an object may have several values. Selectors on `metadata.name` and
   * `metadata.namespace` need no index. An object that `extract` throws on is not found by the field, and is logged.
   *
   * @throws {Error} if the field is indexed already by another function
   */
  indexField<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    extract: (object: Stored<DeepReadonly<T>>) => readonly string[],
  ): void {
    this.#cached(kind).indexField(field, extract);
  }

  /** The informer of a kind, made now if there is none, and running if the cache is. */
  getInformer<T extends KubeObject>(kind: Kind<T>): CacheInformer<T> {
    return this.#open(this.#cached(kind));
  }

  /** Ends the informer of a kind and forgets its objects. */
  async removeInformer(kind: Kind): Promise<void> {
    await this.#cached(kind).close();
  }

  /** Runs all informers, and those yet to come, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#signal) throw new Error("the cache has been started already");
    this.#signal = signal;
    for (const { group } of this.#kinds.values()) group?.start(signal);
    this.#started.open();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.all(this.#groups().map((group) => group.stopped()));
  }

  /** Resolves when the cache runs and every informer there is has its first state (true), or when the signal aborts first. */
  async waitForSync(signal?: AbortSignal): Promise<boolean> {
    if (!(await this.#started.wait(signal))) return false;
    const outcomes = await Promise.all(this.#groups().map((group) => group.synced(signal)));
    return outcomes.every(Boolean);
  }

  /** @throws {StatusError} `NotFound`; {Error} if the key is of a namespace that the cache does not keep */
  async get<T extends KubeObject>(
    kind: Kind<T>,
    key: KeyLike,
    options: GetOptions = {},
  ): Promise<Stored<DeepReadonly<T>>> {
    const cached = this.#cached(kind);
    return cached.get(this.#readableNow(cached, options.signal) ?? (await this.#readable(cached, options.signal)), key);
  }

  /**
   * The objects that the options select, in the order of their names. `limit` cuts the list; there is no page after it.
   *
   * @throws {Error} for a field that has no index (see {@link indexField}), a namespace that the cache does not keep, or a
   *   `continue` token
   */
  async list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    if (options.continue) throw new Error("continue list option is not supported by the cache");
    const cached = this.#cached(kind);
    const readable = this.#readableNow(cached, options.signal) ?? (await this.#readable(cached, options.signal));
    return cached.list(readable, options);
  }

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
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const outcomes = await Promise.all(expected.map((expectation) => expectation.met(either)));
    timer.cancel();
    return outcomes.every(Boolean);
  }

  /** Answers from the server what this cache would answer from memory, its indexes included. */
  liveReader(reader: Reader): Reader {
    return new LiveReader(reader, (kind, field) => this.#cached(kind).extractOf(field), indexErrorLog(this.#logger));
  }

  /** For each kind, how long ago the server last gave a sign of life, in milliseconds; infinite before the first. */
  get ages(): ReadonlyMap<string, number> {
    return new Map(this.#groups().map((group) => [group.name, group.ageMs]));
  }

  /**
   * A check for readiness: it throws while a kind has not synced, or has had no sign of life for longer than `maxAgeMs`.
   * Servers send a bookmark about once a minute, and silent watches are replaced after two; default 5 minutes.
   */
  readinessCheck(options: { readonly maxAgeMs?: number | undefined } = {}): () => void {
    const { maxAgeMs = 300_000 } = options;
    return () => {
      for (const { name, hasSynced, ageMs, lastError } of this.#groups()) {
        if (!hasSynced) throw new Error(`the cache of ${name} has not synced`, { cause: lastError });
        if (ageMs > maxAgeMs) throw new Error(`the cache of ${name} has heard nothing from the server for ${ageMs} ms`);
      }
    };
  }

  /** What needs no waiting for: all reads of a kind but the first. */
  #readableNow<T extends KubeObject>(
    { group }: KindCache<T>,
    signal: AbortSignal | undefined,
  ): InformerGroup<T> | undefined {
    return group?.hasSynced && !signal?.aborted ? group : undefined;
  }

  async #readable<T extends KubeObject>(
    cached: KindCache<T>,
    signal: AbortSignal | undefined,
  ): Promise<InformerGroup<T>> {
    if (!this.#started.isOpen) throw new CacheNotStartedError();
    signal?.throwIfAborted();
    const group = this.#open(cached);
    if (group.hasSynced || (await group.synced(signal))) return group;
    signal?.throwIfAborted();
    throw new Error(`the cache was stopped before ${cached.name} had synced`, { cause: group.lastError });
  }

  #open<T extends KubeObject>(cached: KindCache<T>): InformerGroup<T> {
    const group = cached.open(this.#options);
    if (this.#signal) group.start(this.#signal);
    return group;
  }

  #cached<T extends KubeObject>(kind: Kind<T>): KindCache<T> {
    const asked = this.#byKind.get(kind) as KindCache<T> | undefined;
    if (asked) return asked;
    const key = cachedKindKey(kind);
    const known = this.#kinds.get(key) as KindCache<T> | undefined;
    const cached = known ?? new KindCache(kind);
    if (!known) this.#kinds.set(key, cached);
    this.#byKind.set(kind, cached);
    return cached;
  }

  /** What there is of a kind already, its metadata alone included. */
  #watched(kind: Kind): WatchedKind[] {
    const watched: WatchedKind[] = [];
    for (const key of cachedKindKeys(kind)) {
      const known = this.#kinds.get(key);
      if (known?.group) watched.push(known as WatchedKind);
    }
    return watched;
  }

  #groups(): AnyGroup[] {
    return [...this.#kinds.values()].flatMap(({ group }) => group ?? []);
  }
}
