import {
  type DeepReadonly,
  type KeyLike,
  type Kind,
  type KubeObject,
  notFound,
  type Stored,
  splitKey,
} from "@kubewright/apimachinery";
import { InformerCache } from "@kubewright/cache";
import { type GetOptions, type KubeList, kubeList, type ListOptions } from "@kubewright/client";
import type { Definitions } from "./definitions.ts";

/**
 * A cache that returns no objects for a kind that the cluster does not serve. With other caches, reading such a kind
 * waits until the kind is served, which would block tasks that read several kinds. With this cache, reads wait only
 * until it is known whether the kind is served. If a kind's CRD is deleted, its last objects remain in the cache.
 */
export class ServedCache extends InformerCache {
  #definitions: Definitions | undefined;

  /** From now on, uses `definitions` to determine which kinds are served. */
  follow(definitions: Definitions): void {
    this.#definitions = definitions;
  }

  override get<T extends KubeObject>(
    kind: Kind<T>,
    key: KeyLike,
    options: GetOptions = {},
  ): Promise<Stored<DeepReadonly<T>>> {
    if (this.#definitions?.isServed(kind) !== false) return super.get(kind, key, options);
    return this.#getOnceKnown(kind, key, options);
  }

  override list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    if (this.#definitions?.isServed(kind) !== false) return super.list(kind, options);
    return this.#listOnceKnown(kind, options);
  }

  async #getOnceKnown<T extends KubeObject>(
    kind: Kind<T>,
    key: KeyLike,
    options: GetOptions,
  ): Promise<Stored<DeepReadonly<T>>> {
    const { group, plural: resource = kind.kind } = kind;
    if (await this.#isAbsent(kind, options.signal)) throw notFound({ group, resource }, splitKey(key).name);
    return super.get(kind, key, options);
  }

  async #listOnceKnown<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions,
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    if (await this.#isAbsent(kind, options.signal)) return kubeList<Stored<DeepReadonly<T>>>([], {});
    return super.list(kind, options);
  }

  async #isAbsent<T extends KubeObject>(kind: Kind<T>, signal: AbortSignal | undefined): Promise<boolean> {
    const definitions = this.#definitions;
    if (!definitions) return false;
    await definitions.known(kind, signal);
    if (!definitions.isMissing(kind)) return false;
    return !definitions.wasServed(kind) || !this.getInformer(kind).hasSynced;
  }
}
