import { compareResourceVersions, type DeepReadonly, type KubeObject, type ObjectKey } from "@kubewright/apimachinery";
import type { NamedObject } from "@kubewright/client";
import type { SharedInformer } from "../informer/shared-informer.ts";
import { receivedMetaOf, versionOf } from "../store/object-meta.ts";

/** The part of an informer that an expectation needs. */
type Expected = Pick<SharedInformer<KubeObject>, "indexer" | "isStopped" | "waitUntil">;

/** A state that an informer does not show yet, such as the result of a write. It counts as met once the informer has stopped. */
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

/**
 * Expects an object in this version or a newer one, or a store that is past this version, since the object may have been deleted by then.
 */
export function shown(informer: Expected, key: ObjectKey, resourceVersion: string): Expectation {
  const { indexer } = informer;
  return new Expectation(
    informer,
    () =>
      isAtLeast(versionOf(indexer.get(key)), resourceVersion) || isAtLeast(indexer.resourceVersion, resourceVersion),
  );
}

/** Expects an object to be deleted, or replaced by another of the same name. */
export function gone(informer: Expected, key: ObjectKey, uid: string | undefined): Expectation {
  return new Expectation(informer, () => !isSame(informer.indexer.get(key), uid));
}

/** Expects an object to be {@link gone} or terminating: finalizers or its grace period may delay the deletion. */
export function going(informer: Expected, key: ObjectKey, uid: string | undefined): Expectation {
  return new Expectation(informer, () => {
    const object = informer.indexer.get(key);
    return !isSame(object, uid) || receivedMetaOf(object).deletionTimestamp !== undefined;
  });
}

/** Reports whether a write ended the object that it returned: it was terminating, and the write removed the last finalizer. */
export function hasEnded({ metadata }: NamedObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata as KubeObject["metadata"];
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isSame(object: DeepReadonly<KubeObject> | undefined, uid: string | undefined): boolean {
  return object !== undefined && (uid === undefined || receivedMetaOf(object).uid === uid);
}

/** A version that cannot be compared is only at least as new as itself. */
const isAtLeast = (version: string, least: string): boolean =>
  version === least || (compareResourceVersions(version, least) ?? -1) >= 0;
