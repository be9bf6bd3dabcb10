import type { KeyLike, Kind, ObjectKey } from "@kubewright/apimachinery";
import type { NamedObject, Reader, SelectionOptions } from "@kubewright/client";

/** What a cache has yet to show. */
export interface Expectation {
  readonly isMet: boolean;
  /** Resolves when it is met (true), or when the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean>;
}

/** What a controller asks of a cache about the writes of its reconciler. */
export interface WriteExpectations {
  /** Of a write that answered `object`; none where the cache does not keep the object. */
  ofWrite(kind: Kind, object: NamedObject): readonly Expectation[];
  /** Of a deletion, asked before it. */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly Expectation[];
  /** Of a deletion of all objects of a selection, by key, asked before it. */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly Expectation[]>;
}

/** What a controller needs of the cache that its client reads from: an `InformerCache` fits. */
export interface ExpectingCache {
  readonly expectations: WriteExpectations;
  /** Answers from `reader` what the cache would answer, its indexes included. */
  liveReader(reader: Reader): Reader;
}

export const areMet = (expectations: readonly Expectation[]): boolean => expectations.every(({ isMet }) => isMet);
