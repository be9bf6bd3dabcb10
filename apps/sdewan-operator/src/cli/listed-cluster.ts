import {
  type DeepReadonly,
  isNoMatch,
  type KeyLike,
  type Kind,
  type KubeObject,
  type Stored,
} from "@kubewright/apimachinery";
import { type KubeList, kubeList, type ListOptions, type Reader } from "@kubewright/client";
import { purposeLabel } from "../api/group.ts";
import { byController, byPurpose } from "../cnf/indexes.ts";

/**
 * A reader without a cache. Instead of using an index, it lists by label or filters a list. It returns no objects for kinds that the server
 * does not serve.
 */
export class ListedCluster implements Reader {
  readonly #live: Reader;

  constructor(live: Reader) {
    this.#live = live;
  }

  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike): Promise<Stored<DeepReadonly<T>>> {
    return this.#live.get(kind, key);
  }

  async list<T extends KubeObject>(
    kind: Kind<T>,
    { fields, ...options }: ListOptions = {},
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const selected: Readonly<Record<string, unknown>> = typeof fields === "object" ? { ...fields } : {};
    const { [byPurpose]: purpose, [byController]: controller } = selected;
    const labels = purpose === undefined ? {} : { labels: { [purposeLabel]: String(purpose) } };
    const found = await this.#live.list(kind, { ...options, ...labels }).catch((error: unknown) => {
      if (isNoMatch(error)) return kubeList<Stored<DeepReadonly<T>>>([], { resourceVersion: "" });
      throw error;
    });
    if (controller === undefined) return found;
    const owned = found.filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === controller),
    );
    return kubeList(owned, { resourceVersion: "" });
  }
}
