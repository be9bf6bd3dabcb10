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
import { type Expectation, going, gone, hasEnded, reached, shown } from "./expectation.ts";
import { matchesFields } from "./field-index.ts";
import type { InformerGroup } from "./informer-group.ts";
import type { KindCache } from "./kind-cache.ts";

/** A kind that has informers. */
export type WatchedKind = KindCache<KubeObject> & { readonly group: InformerGroup<KubeObject> };
/** What there is of a kind: its whole objects, their metadata, or both. */
type WatchedOf = (kind: Kind) => readonly WatchedKind[];

/**
 * What a cache has yet to show of writes. Nothing is expected of kinds that nobody has asked the cache for, nor of objects that it
 * is not to keep.
 */
export class WriteExpectations {
  readonly #watchedOf: WatchedOf;

  constructor(watchedOf: WatchedOf) {
    this.#watchedOf = watchedOf;
  }

  /** Of a write that answered `object`. */
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

  /** Of a deletion, to be asked before it. `uid` is that of the object, where it is known; else of the one that the cache has. */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly Expectation[] {
    const { namespace, name } = splitKey(key);
    return this.#watchedOf(kind).flatMap(({ group }) => {
      const [informer] = group.of(namespace);
      return informer ? goingOf(informer, joinKey(namespace, name), uid) : [];
    });
  }

  /** Of a deletion of all objects of a selection, as far as the cache knows them; to be asked before it. */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly Expectation[]> {
    const expected = new Map<ObjectKey, readonly Expectation[]>();
    const { namespace, labels, fields } = selection;
    const keeping = this.#watchedOf(kind).filter(({ group }) => group.of(namespace).length > 0);
    for (const cached of keeping)
      for (const object of cached.list(cached.group, { namespace, labels })) {
        const { uid } = object.metadata;
        const key = keyOf(object);
        if (matchesFields(object, fields) && !expected.has(key)) expected.set(key, this.ofDeletion(kind, key, uid));
      }
    return expected;
  }

  /** That everything of a kind up to a version is shown. */
  ofVersion(kind: Kind, resourceVersion: string): readonly Expectation[] {
    return this.#watchedOf(kind).flatMap(({ group }) =>
      [...group.members.values()].map((informer) => reached(informer, resourceVersion)),
    );
  }
}

/** An object that nobody has seen and of which no uid is known cannot be missed. */
function goingOf(informer: SharedInformer<KubeObject>, key: ObjectKey, known: string | undefined): Expectation[] {
  const uid = known ?? informer.indexer.get(key)?.metadata.uid;
  return uid === undefined && !informer.indexer.has(key) ? [] : [going(informer, key, uid)];
}
