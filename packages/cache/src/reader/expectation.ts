import { compareResourceVersions, type DeepReadonly, type KubeObject, type ObjectKey } from "@kubewright/apimachinery";
import type { NamedObject } from "@kubewright/client";
import type { SharedInformer } from "../informer/shared-informer.ts";
import { receivedMetaOf, versionOf } from "../store/object-meta.ts";

/** What an expectation needs of an informer. */
type Expected = Pick<SharedInformer<KubeObject>, "indexer" | "isStopped" | "waitUntil">;

/** Something that an informer has yet to show, such as the outcome of a write. It counts as met once the informer has stopped. */
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

  /** Resolves to true once {@link isMet}; to false if the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean> {
    return this.#informer.waitUntil(() => this.isMet, signal);
  }
}

/** Expects everything up to a version to be in the store. */
export function reached(informer: Expected, resourceVersion: string): Expectation {
  return new Expectation(informer, () => isAtLeast(informer.indexer.resourceVersion, resourceVersion));
}

/** Expects an object in this version or a newer one, or the store to be past it: the object may have been deleted since. */
export function shown(informer: Expected, key: ObjectKey, resourceVersion: string): Expectation {
  const { indexer } = informer;
  return new Expectation(
    informer,
    () =>
      isAtLeast(versionOf(indexer.get(key)), resourceVersion) || isAtLeast(indexer.resourceVersion, resourceVersion),
  );
}

/** Expects an object to be gone, or another to have taken its name. */
export function gone(informer: Expected, key: ObjectKey, uid: string | undefined): Expectation {
  return new Expectation(informer, () => !isSame(informer.indexer.get(key), uid));
}

/** Expects an object to be {@link gone} or terminating: finalizers or its grace period may keep it. */
export function going(informer: Expected, key: ObjectKey, uid: string | undefined): Expectation {
  return new Expectation(informer, () => {
    const object = informer.indexer.get(key);
    return !isSame(object, uid) || receivedMetaOf(object).deletionTimestamp !== undefined;
  });
}

/** Whether a write ended the object that it returned: it was terminating, and the write removed the last finalizer. */
export function hasEnded({ metadata }: NamedObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata as KubeObject["metadata"];
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isSame(object: DeepReadonly<KubeObject> | undefined, uid: string | undefined): boolean {
  return object !== undefined && (uid === undefined || receivedMetaOf(object).uid === uid);
}

/** Versions that cannot be compared are at least as new as themselves only. */
const isAtLeast = (version: string, least: string): boolean =>
  version === least || (compareResourceVersions(version, least) ?? -1) >= 0;
