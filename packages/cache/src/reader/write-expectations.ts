import {
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
import { receivedMetaOf } from "../store/object-meta.ts";
import { type Expectation, going, gone, hasEnded, reached, shown } from "./expectation.ts";
import { matchesFields } from "./field-index.ts";
import type { InformerGroup } from "./informer-group.ts";
import type { KindCache } from "./kind-cache.ts";

/** A kind that has informers. */
export type WatchedKind = KindCache<KubeObject> & { readonly group: InformerGroup<KubeObject> };
/** Returns the caches of a kind: of its whole objects, of their metadata, or both. */
type WatchedOf = (kind: Kind) => readonly WatchedKind[];

/**
 * Creates expectations for writes that a cache does not show yet. Kinds that are not cached, and objects that the cache does not keep,
 * yield no expectations.
 */
export class WriteExpectations {
  readonly #watchedOf: WatchedOf;

  constructor(watchedOf: WatchedOf) {
    this.#watchedOf = watchedOf;
  }

  /** Returns the expectations after a write that returned `object`. */
  ofWrite(kind: Kind, object: NamedObject): readonly Expectation[] {
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
   * @param uid UID of the object to delete. Default: that of the object in the cache.
   */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly Expectation[] {
    const { namespace, name } = splitKey(key);
    return this.#watchedOf(kind).flatMap(({ group }) => {
      const [informer] = group.of(namespace);
      return informer ? goingOf(informer, joinKey(namespace, name), uid) : [];
    });
  }

  /** Returns the expectations for the deletion of all selected objects in the cache, by key. Must be called before the deletion. */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly Expectation[]> {
    const expected = new Map<ObjectKey, readonly Expectation[]>();
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

  /** Returns expectations that the cache shows every change of a kind up to a version. */
  ofVersion(kind: Kind, resourceVersion: string): readonly Expectation[] {
    return this.#watchedOf(kind).flatMap(({ group }) =>
      [...group.members.values()].map((informer) => reached(informer, resourceVersion)),
    );
  }
}

/** Returns nothing if the object is not in the cache and has no known UID, since nothing identifies it. */
function goingOf(informer: SharedInformer<KubeObject>, key: ObjectKey, known: string | undefined): Expectation[] {
  const uid = known ?? receivedMetaOf(informer.indexer.get(key)).uid;
  return uid === undefined && !informer.indexer.has(key) ? [] : [going(informer, key, uid)];
}
