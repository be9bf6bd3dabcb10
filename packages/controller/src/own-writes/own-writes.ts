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

/** A write of which the cache may not know yet. */
export interface OwnWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** When it was answered, in the clock's monotonic milliseconds. */
  readonly atMs: number;
  readonly uid: string | undefined;
  /** Empty for a deletion: those answer none. */
  readonly resourceVersion: string;
  /** Of the object in its version. */
  readonly shown: readonly Expectation[];
  /** Of its deletion, where that was asked for. */
  readonly gone: readonly Expectation[];
}

/** At so many requests with writes that nobody has asked for again, those that the cache shows by now are looked for. */
const sweepAt = 1_000;

const none: readonly OwnWrite[] = [];

/**
 * What the reconciles of a controller wrote, by request, until the cache shows it. A request that wrote nothing costs one look into
 * a map.
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

  /** What was written for a request and is not shown yet. */
  unseen(request: R): readonly OwnWrite[] {
    const writes = this.#byRequest.get(request);
    if (!writes) return none;
    for (const [id, { shown, gone }] of writes) if (areMet(shown) && areMet(gone)) writes.delete(id);
    if (writes.size > 0) return [...writes.values()];
    this.#byRequest.delete(request);
    return none;
  }

  /** Notes the answer to a write. The newest of an object counts; a deletion that was asked for stays so. */
  note(request: R, kind: Kind, object: NamedObject): void {
    const shown = this.#expectations.ofWrite(kind, object);
    const known = this.#find(request, kind, keyOfTarget(object));
    if (shown.length === 0 && !known) return;
    const write = this.#writeOf(kind, object, shown);
    if (known && isNewer(known.resourceVersion, write.resourceVersion)) return;
    const gone = known && known.uid === write.uid ? known.gone : [];
    this.#put(request, { ...write, gone });
  }

  /** What to {@link noteDeletion} once it has been done. */
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
   * To be asked before a live read in place of an unseen write; takes what was found. From then on the cache has that to catch up
   * with, so that no read is older than one before it, and a server that was set back is not waited for.
   */
  liveRead(request: R, { kind, key }: OwnWrite): (found: NamedObject | undefined) => void {
    const before = this.#find(request, kind, key);
    return (found) => {
      if (!before || this.#find(request, kind, key) !== before) return; // written again meanwhile
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
