import { compareResourceVersions, type DeepReadonly, type KubeObject, type ObjectKey } from "@kubewright/apimachinery";
import type { NamedObject } from "@kubewright/client";
import type { SharedInformer } from "../informer/shared-informer.ts";
import { metaOf, versionOf } from "../store/object-meta.ts";

/** What an expectation needs of an informer. */
type Expected = Pick<SharedInformer<KubeObject>, "indexer" | "isStopped" | "waitUntil">;

/** What an informer has yet to show. Of an informer that has stopped nothing is expected any more. */
export class Expectation {
  readonly #informer: Expected;
  readonly #claim: () => boolean;

  constructor(informer: Expected, claim: () => boolean) {
    this.#informer = informer;
    this.#claim = claim;
  }

  get isMet(): boolean {
    return this.#informer.isStopped || this.#claim();
  }

  /** Resolves when {@link isMet} (true), or when the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean> {
    return this.#informer.waitUntil(() => this.isMet, signal);
  }
}

/** That everything up to a version is in the store. */
export function reached(informer: Expected, resourceVersion: string): Expectation {
  return new Expectation(informer, () => isAtLeast(informer.indexer.resourceVersion, resourceVersion));
}

/** That the store has an object in a version, or newer, or is past it: the object may have changed, or gone, since. */
export function shown(informer: Expected, key: ObjectKey, resourceVersion: string): Expectation {
  const { indexer } = informer;
  return new Expectation(
    informer,
    () =>
      isAtLeast(versionOf(indexer.get(key)), resourceVersion) || isAtLeast(indexer.resourceVersion, resourceVersion),
  );
}

/** That the store has an object no more, or another of the same name. */
export function gone(informer: Expected, key: ObjectKey, uid: string | undefined): Expectation {
  return new Expectation(informer, () => !isSame(informer.indexer.get(key), uid));
}

/** {@link gone}, or on its way: it may linger for its finalizers or its grace period. */
export function going(informer: Expected, key: ObjectKey, uid: string | undefined): Expectation {
  return new Expectation(informer, () => {
    const object = informer.indexer.get(key);
    return !isSame(object, uid) || metaOf(object).deletionTimestamp !== undefined;
  });
}

/** Whether an object that a write answered exists no more: it was waiting to be deleted, and this write removed the last obstacle. */
export function hasEnded({ metadata }: NamedObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata as KubeObject["metadata"];
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isSame(object: DeepReadonly<KubeObject> | undefined, uid: string | undefined): boolean {
  return object !== undefined && (uid === undefined || object.metadata.uid === uid);
}

/** Versions that cannot be compared are only as new as themselves. */
const isAtLeast = (version: string, least: string): boolean =>
  version === least || (compareResourceVersions(version, least) ?? -1) >= 0;
