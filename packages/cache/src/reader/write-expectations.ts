import {
  compareResourceVersions,
  type DeepReadonly,
  joinKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  type ObjectKey,
  splitKey,
} from "@kubewright/apimachinery";
import type { NamedObject, SelectionOptions } from "@kubewright/client";
import type { SharedInformer } from "../informer/shared-informer.ts";
import { receivedMetaOf, versionOf } from "../store/object-meta.ts";
import type { InformerGroup } from "./informer-group.ts";
import { matchesFields } from "./list-queries.ts";

/** A kind with informers. */
export interface WatchedKind {
  readonly group: InformerGroup<KubeObject>;
  /** Reports whether the kind's selectors select an object. */
  selects(object: NamedObject): boolean;
  list(group: InformerGroup<KubeObject>, selection: SelectionOptions): Iterable<DeepReadonly<KubeObject>>;
}
/** Returns a kind's caches: for whole objects, for metadata only, or both. */
type WatchedOf = (kind: Kind) => readonly WatchedKind[];

/**
 * Creates expectations for writes that a cache does not show yet. Creates none for kinds and objects that are not
 * cached.
 */
export class CacheExpectations {
  readonly #watchedOf: WatchedOf;

  constructor(watchedOf: WatchedOf) {
    this.#watchedOf = watchedOf;
  }

  /** Returns the expectations after a write that returned `object`. */
  ofWrite(kind: Kind, object: NamedObject): readonly CacheExpectation[] {
    const { name, namespace, resourceVersion, uid } = object.metadata as DeepReadonly<KubeObject["metadata"]>;
    if (!resourceVersion) return [];
    const key = joinKey(namespace, name);
    const isOver = hasEnded(object);
    return this.#watchedOf(kind).flatMap((cached) => {
      const [informer] = cached.group.of(namespace);
      if (!informer || !(informer.indexer.has(key) || cached.selects(object))) return [];
      const written = shown(informer, key, resourceVersion);
      return isOver ? [written, gone(informer, key, uid)] : [written];
    });
  }

  /**
   * Returns the expectations for a deletion. Must be called before the deletion.
   *
   * @param uid UID of the object to delete. Default: the UID of the cached object.
   */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly CacheExpectation[] {
    const { namespace, name } = splitKey(key);
    return this.#watchedOf(kind).flatMap(({ group }) => {
      const [informer] = group.of(namespace);
      return informer ? goingOf(informer, joinKey(namespace, name), uid) : [];
    });
  }

  /**
   * Returns the expectations for the deletion of all selected cached objects, keyed by object key. Must be called
   * before the deletion.
   */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly CacheExpectation[]> {
    const expected = new Map<ObjectKey, readonly CacheExpectation[]>();
    const { namespace, labels, fields } = selection;
    const keeping = this.#watchedOf(kind).filter(({ group }) => group.of(namespace).length > 0);
    for (const cached of keeping)
      for (const object of cached.list(cached.group, { namespace, labels })) {
        const { uid } = receivedMetaOf(object);
        const key = keyOf(object);
        if (matchesFields(object, fields) && !expected.has(key)) expected.set(key, this.ofDeletion(kind, key, uid));
      }
    return expected;
  }

  /** Returns the expectations that are met once the cache shows all of a kind's changes up to a version. */
  ofVersion(kind: Kind, resourceVersion: string): readonly CacheExpectation[] {
    return this.#watchedOf(kind).flatMap(({ group }) =>
      [...group.members.values()].map((informer) => reached(informer, resourceVersion)),
    );
  }
}

/**
 * Returns the expectation for a deletion. Returns none if the object is not cached and its UID is unknown, because the object cannot be
 * identified then.
 */
function goingOf(informer: SharedInformer<KubeObject>, key: ObjectKey, known: string | undefined): CacheExpectation[] {
  const uid = known ?? receivedMetaOf(informer.indexer.get(key)).uid;
  return uid === undefined && !informer.indexer.has(key) ? [] : [going(informer, key, uid)];
}

/** The members of an informer that an expectation needs. */
type Expected = Pick<SharedInformer<KubeObject>, "indexer" | "isStopped" | "waitUntil">;

/**
 * A state that an informer is expected to show, such as the result of a write. An expectation also counts as met once
 * the informer has stopped.
 */
export class CacheExpectation {
  readonly #informer: Expected;
  readonly #condition: () => boolean;

  constructor(informer: Expected, condition: () => boolean) {
    this.#informer = informer;
    this.#condition = condition;
  }

  get isMet(): boolean {
    return this.#informer.isStopped || this.#condition();
  }

  /** Resolves to true once {@link isMet} is true, or to false if the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean> {
    return this.#informer.waitUntil(() => this.isMet, signal);
  }
}

/** Expects all changes up to a version to be in the store. */
function reached(informer: Expected, resourceVersion: string): CacheExpectation {
  return new CacheExpectation(informer, () => isAtLeast(informer.indexer.resourceVersion, resourceVersion));
}

/**
 * Expects the store to contain the object in the given version or a newer one. If the object has been deleted since,
 * expects the store to be newer than this version.
 */
export function shown(informer: Expected, key: ObjectKey, resourceVersion: string): CacheExpectation {
  const { indexer } = informer;
  return new CacheExpectation(
    informer,
    () =>
      isAtLeast(versionOf(indexer.get(key)), resourceVersion) || isAtLeast(indexer.resourceVersion, resourceVersion),
  );
}

/** Expects an object to be deleted, or replaced by another object of the same name. */
function gone(informer: Expected, key: ObjectKey, uid: string | undefined): CacheExpectation {
  return new CacheExpectation(informer, () => !isSame(informer.indexer.get(key), uid));
}

/** Expects an object to be {@link gone} or terminating: finalizers or its grace period may delay the deletion. */
function going(informer: Expected, key: ObjectKey, uid: string | undefined): CacheExpectation {
  return new CacheExpectation(informer, () => {
    const object = informer.indexer.get(key);
    return !isSame(object, uid) || receivedMetaOf(object).deletionTimestamp !== undefined;
  });
}

/** Reports whether a write deleted the object that it returned: the object was terminating, and the write removed the last finalizer. */
function hasEnded({ metadata }: NamedObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata as KubeObject["metadata"];
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isSame(object: DeepReadonly<KubeObject> | undefined, uid: string | undefined): boolean {
  return object !== undefined && (uid === undefined || receivedMetaOf(object).uid === uid);
}

/** Reports whether a version is at least as new as another. For versions that cannot be compared, returns true only if they are equal. */
const isAtLeast = (version: string, least: string): boolean =>
  version === least || (compareResourceVersions(version, least) ?? -1) >= 0;
