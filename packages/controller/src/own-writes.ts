import {
  compareResourceVersions,
  groupKindKey,
  isNotFound,
  joinKey,
  type KeyLike,
  type Kind,
  type ObjectKey,
} from "@kubewright/apimachinery";
import type { NamedObject, Reader, SelectionOptions, Target, WriteCall, WriteInterceptor } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";

/** A state that a cache does not show yet. */
export interface ExpectedWrite {
  readonly isMet: boolean;
  /** Resolves to true when it is met; to false if the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean>;
}

/** Provides expectations for the writes that a controller's reconciler makes. */
export interface ExpectedWrites {
  /** Returns the expectations for a write that returned `object`; none if the cache does not keep the object. */
  ofWrite(kind: Kind, object: NamedObject): readonly ExpectedWrite[];
  /** Returns the expectations for a deletion. Must be called before it. */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly ExpectedWrite[];
  /** Returns the expectations for the deletion of all objects of a selection, by key. Must be called before it. */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly ExpectedWrite[]>;
}

/** The part of a client's cache that a controller needs; satisfied by an `InformerCache`. */
export interface ExpectingCache {
  readonly expectations: ExpectedWrites;
  /** Returns a reader that runs the cache's queries against `reader`, including queries by indexed fields. */
  liveReader(reader: Reader): Reader;
}

/** A write that the cache may not show yet. */
export interface OwnWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** Time of the response, in the clock's monotonic milliseconds. */
  readonly atMs: number;
  readonly uid: string | undefined;
  /** Empty for a deletion, whose response contains none. */
  readonly resourceVersion: string;
  /** Expectations for the object in its version. */
  readonly shown: readonly ExpectedWrite[];
  /** Expectations for its deletion, if that was requested. */
  readonly gone: readonly ExpectedWrite[];
}

/** Number of requests with pending writes at which those that the cache shows by now are removed. */
const sweepAt = 1_000;

const none: readonly OwnWrite[] = [];

/**
 * The writes that a controller's reconciles made, by request, until the cache shows them. For a request without writes, this costs
 * one map lookup.
 *
 */
export class OwnWrites<R> {
  readonly #expectations: ExpectedWrites;
  readonly #clock: Clock;
  readonly #byRequest = new Map<R, Map<string, OwnWrite>>();
  #sweepAt = sweepAt;

  constructor(expectations: ExpectedWrites, clock: Clock) {
    this.#expectations = expectations;
    this.#clock = clock;
  }

  /** Returns the writes for a request that the cache does not show yet. */
  unseen(request: R): readonly OwnWrite[] {
    const writes = this.#byRequest.get(request);
    if (!writes) return none;
    for (const [id, { shown, gone }] of writes) if (areMet(shown) && areMet(gone)) writes.delete(id);
    if (writes.size > 0) return [...writes.values()];
    this.#byRequest.delete(request);
    return none;
  }

  /** Records the result of a write. Only the newest write of an object counts; a requested deletion is kept. */
  note(request: R, kind: Kind, object: NamedObject): void {
    const shown = this.#expectations.ofWrite(kind, object);
    const known = this.#find(request, kind, keyOfTarget(object));
    if (shown.length === 0 && !known) return;
    const write = this.#writeOf(kind, object, shown);
    if (known && isNewer(known.resourceVersion, write.resourceVersion)) return;
    const gone = known && known.uid === write.uid ? known.gone : [];
    this.#put(request, { ...write, gone });
  }

  /** Returns the expectations to pass to {@link noteDeletion} after the deletion. */
  expectDeletion(request: R, kind: Kind, key: ObjectKey, uid: string | undefined): readonly ExpectedWrite[] {
    return this.#expectations.ofDeletion(kind, key, uid ?? this.#find(request, kind, key)?.uid);
  }

  expectDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly ExpectedWrite[]> {
    return this.#expectations.ofDeletions(kind, selection);
  }

  noteDeletion(request: R, kind: Kind, key: ObjectKey, gone: readonly ExpectedWrite[]): void {
    if (gone.length === 0) return;
    const { uid, resourceVersion = "", shown = [] } = this.#find(request, kind, key) ?? {};
    this.#put(request, { kind, key, uid, resourceVersion, shown, gone, atMs: this.#clock.monotonic() });
  }

  /**
   * Must be called before a live read that replaces an unseen write; the returned function takes the result. From then on, the cache must
   * catch up with that result, so that no read is older than a previous one, and the controller does not wait for a server that was
   * restored to an older state.
   */
  liveRead(request: R, { kind, key }: OwnWrite): (found: NamedObject | undefined) => void {
    const before = this.#find(request, kind, key);
    return (found) => {
      if (!before || this.#find(request, kind, key) !== before) return; // written again in the meantime
      const write = found
        ? this.#writeOf(kind, found, this.#expectations.ofWrite(kind, found))
        : { ...before, resourceVersion: "", shown: [], gone: this.#expectations.ofDeletion(kind, key) };
      this.#put(request, { ...write, atMs: before.atMs });
    };
  }

  #writeOf(kind: Kind, object: NamedObject, shown: readonly ExpectedWrite[]): OwnWrite {
    const { uid, resourceVersion = "" } = object.metadata as NamedObject["metadata"] & { readonly uid?: string };
    return { kind, key: keyOfTarget(object), uid, resourceVersion, shown, gone: [], atMs: this.#clock.monotonic() };
  }

  #find(request: R, kind: Kind, key: ObjectKey): OwnWrite | undefined {
    return this.#byRequest.get(request)?.get(idOf(kind, key));
  }

  #put(request: R, write: OwnWrite): void {
    const writes = this.#byRequest.get(request);
    const id = idOf(write.kind, write.key);
    if (writes) writes.set(id, write);
    else this.#byRequest.set(request, new Map([[id, write]]));
    if (this.#byRequest.size < this.#sweepAt) return;
    for (const each of [...this.#byRequest.keys()]) this.unseen(each);
    this.#sweepAt = Math.max(sweepAt, 2 * this.#byRequest.size);
  }
}

/** Returns an interceptor that records the writes for one request. Dry runs change nothing and are not recorded. */
export function notingWrites<R>(ownWrites: OwnWrites<R>, request: R): WriteInterceptor {
  return async (call, next) => {
    const { kind } = call;
    if (call.options.dryRun) return next(call);
    if (call.verb === "deleteCollection") {
      const expected = ownWrites.expectDeletions(kind, call.options);
      const answer = await next(call);
      for (const [key, gone] of expected) ownWrites.noteDeletion(request, kind, key, gone);
      return answer;
    }
    if (call.verb === "delete" || (call.verb === "create" && call.subResource === "eviction")) {
      const key = keyOfTarget(call.object);
      const uid = call.verb === "delete" ? call.options.preconditions?.uid : undefined;
      const gone = ownWrites.expectDeletion(request, kind, key, uid);
      try {
        const answer = await next(call);
        ownWrites.noteDeletion(request, kind, key, gone);
        return answer;
      } catch (error) {
        // A deletion that finds no object is also recorded: it shows that the cache is behind.
        if (isNotFound(error)) ownWrites.noteDeletion(request, kind, key, gone);
        throw error;
      }
    }
    const answer = await next(call);
    const written = writtenObject(call, answer);
    if (written) ownWrites.note(request, kind, written);
    return answer;
  };
}

/**
 * Returns the object in the version that a write returned. For a subresource, the response may be the object, or another body with its
 * version, or neither.
 */
function writtenObject({ subResource, object }: WriteCall, answer: unknown): NamedObject | undefined {
  if (!hasMetadata(answer)) return undefined;
  if (subResource === undefined || subResource === "status") return answer;
  if (!answer.metadata.resourceVersion) return undefined;
  return { metadata: { ...answer.metadata, name: object.metadata.name, namespace: object?.metadata.namespace } };
}

const hasMetadata = (answer: unknown): answer is NamedObject =>
  isObject(answer) && "metadata" in answer && isObject(answer.metadata);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Returns the key of a call's target. */
export function keyOfTarget(target: Target): ObjectKey {
  if (typeof target !== "string" && "metadata" in target)
    return joinKey(target.metadata.namespace, target.metadata.name);
  return keyFrom(target);
}

export const keyFrom = (key: KeyLike): ObjectKey => (typeof key === "string" ? key : joinKey(key.namespace, key.name));

export const isOf = (write: OwnWrite, kind: Kind): boolean => groupKindKey(write.kind) === groupKindKey(kind);

const idOf = (kind: Kind, key: KeyLike): string => `${groupKindKey(kind)} ${key}`;

const isNewer = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) > 0;

const areMet = (expectations: readonly ExpectedWrite[]): boolean => expectations.every(({ isMet }) => isMet);
