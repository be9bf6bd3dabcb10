import type { DeepReadonly, ObjectMeta } from "./object.ts";

/** `namespace/name`, or `name` alone for objects of the cluster. */
export type ObjectKey = string;

/** Anything that says which object is meant. */
export type KeyLike = ObjectKey | { readonly namespace?: string | undefined; readonly name: string };

/**
 * The key of an object, as queues and caches use it.
 *
 * @see client-go tools/cache MetaNamespaceKeyFunc
 */
export function keyOf(object: { readonly metadata: DeepReadonly<Pick<ObjectMeta, "name" | "namespace">> }): ObjectKey {
  return joinKey(object.metadata.namespace, object.metadata.name);
}

/** A key from its parts; an absent or empty namespace means an object of the cluster. */
export function joinKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * The parts of a key.
 *
 * @throws {Error} if the key has more than one slash
 * @see client-go tools/cache SplitMetaNamespaceKey
 */
export function splitKey(key: KeyLike): { readonly namespace: string | undefined; readonly name: string } {
  if (typeof key !== "string") return { namespace: key.namespace || undefined, name: key.name };
  const slash = key.indexOf("/");
  if (slash < 0) return { namespace: undefined, name: key };
  if (key.indexOf("/", slash + 1) >= 0)
    throw new Error(`unexpected key format: "${key}", want "namespace/name" or "name"`);
  return { namespace: key.slice(0, slash) || undefined, name: key.slice(slash + 1) };
}
