import {
  compareResourceVersions,
  groupKindKey,
  type KeyLike,
  type Kind,
  type ObjectKey,
} from "@kubewright/apimachinery";
import type { NamedObject, SelectionOptions } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { areMet, type Expectation, type WriteExpectations } from "./expectations.ts";
import { keyOfTarget } from "./target-key.ts";

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
  readonly shown: readonly Expectation[];
  /** Expectations for its deletion, if that was requested. */
  readonly gone: readonly Expectation[];
}

/** Number of requests with pending writes at which those that the cache shows by now are removed. */
const sweepAt = 1_000;

const none: readonly OwnWrite[] = [];

/**
 * The writes of a controller's reconciles, by request, until the cache shows them. For a request without writes, this costs one map
 * lookup.
 */
export class OwnWrites<R> {
  readonly #expectations: WriteExpectations;
  readonly #clock: Clock;
  readonly #byRequest = new Map<R, Map<string, OwnWrite>>();
  #sweepAt = sweepAt;

  constructor(expectations: WriteExpectations, clock: Clock) {
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
  expectDeletion(request: R, kind: Kind, key: ObjectKey, uid: string | undefined): readonly Expectation[] {
    return this.#expectations.ofDeletion(kind, key, uid ?? this.#find(request, kind, key)?.uid);
  }

  expectDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly Expectation[]> {
    return this.#expectations.ofDeletions(kind, selection);
  }

  noteDeletion(request: R, kind: Kind, key: ObjectKey, gone: readonly Expectation[]): void {
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

  #writeOf(kind: Kind, object: NamedObject, shown: readonly Expectation[]): OwnWrite {
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

export const isOf = (write: OwnWrite, kind: Kind): boolean => groupKindKey(write.kind) === groupKindKey(kind);

const idOf = (kind: Kind, key: KeyLike): string => `${groupKindKey(kind)} ${key}`;

const isNewer = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) > 0;
