import { type DeepReadonly, type KubeObject, keyOf } from "@kubewright/apimachinery";

/** An index of quotas by namespace. It makes the many changes in namespaces without quotas cheap to handle. */
export class QuotasByNamespace {
  readonly #keys = new Map<string, Set<string>>();

  add(quota: DeepReadonly<KubeObject>): void {
    const { namespace = "" } = quota.metadata;
    const keys = this.#keys.get(namespace) ?? new Set();
    this.#keys.set(namespace, keys.add(keyOf(quota)));
  }

  remove(quota: DeepReadonly<KubeObject>): void {
    const { namespace = "" } = quota.metadata;
    const keys = this.#keys.get(namespace);
    keys?.delete(keyOf(quota));
    if (keys?.size === 0) this.#keys.delete(namespace);
  }

  of(namespace: string | undefined): readonly string[] {
    return [...(this.#keys.get(namespace ?? "") ?? [])];
  }

  all(): readonly string[] {
    return [...this.#keys.values()].flatMap((keys) => [...keys]);
  }
}
