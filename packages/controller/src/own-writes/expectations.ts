import type { KeyLike, Kind, ObjectKey } from "@kubewright/apimachinery";
import type { NamedObject, Reader, SelectionOptions } from "@kubewright/client";

/** A state that a cache does not show yet. */
export interface Expectation {
  readonly isMet: boolean;
  /** Resolves to true when it is met; to false if the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean>;
}

/** Provides expectations for the writes of a controller's reconciler. */
export interface WriteExpectations {
  /** Returns the expectations for a write that returned `object`; none if the cache does not keep the object. */
  ofWrite(kind: Kind, object: NamedObject): readonly Expectation[];
  /** Returns the expectations for a deletion. Must be called before it. */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly Expectation[];
  /** Returns the expectations for the deletion of all objects of a selection, by key. Must be called before it. */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly Expectation[]>;
}

/** The part of a client's cache that a controller needs; satisfied by an `InformerCache`. */
export interface ExpectingCache {
  readonly expectations: WriteExpectations;
  /** Returns a reader that answers the queries of the cache from `reader`, including those by indexed fields. */
  liveReader(reader: Reader): Reader;
}

export const areMet = (expectations: readonly Expectation[]): boolean => expectations.every(({ isMet }) => isMet);
