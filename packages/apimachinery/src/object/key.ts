import { isPathSegmentName } from "../value/names.ts";
import type { DeepReadonly, ObjectMeta } from "./object.ts";

/** An object's key: `namespace/name`, or `name` for cluster-scoped objects. */
export type ObjectKey = string;

/** Identifies an object of a known kind. */
export type KeyLike = ObjectKey | { readonly namespace?: string | undefined; readonly name: string };

/**
 * Returns an object's key, as used by queues and caches.
 *
 * @see client-go tools/cache MetaNamespaceKeyFunc
 */
export function keyOf(object: { readonly metadata: DeepReadonly<Pick<ObjectMeta, "name" | "namespace">> }): ObjectKey {
  return joinKey(object.metadata.namespace, object.metadata.name);
}

/**
 * Compares objects of one kind by their keys, for sorting: `(await client.list(Pod)).toSorted(byKey)`. Lists from a cache are unsorted.
 */
export function byKey(
  a: { readonly metadata: DeepReadonly<Pick<ObjectMeta, "name" | "namespace">> },
  b: { readonly metadata: DeepReadonly<Pick<ObjectMeta, "name" | "namespace">> },
): number {
  const [key, other] = [keyOf(a), keyOf(b)];
  return key < other ? -1 : key > other ? 1 : 0;
}

/**
 * Returns the key for a namespace and a name. If the namespace is missing or empty, the result is the key of a
 * cluster-scoped object.
 */
export function joinKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Splits a key into namespace and name.
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

/**
 * Checks that a key identifies exactly one object. Without a name, a request would go to the path of the collection:
 * `DELETE .../configmaps/` deletes all ConfigMaps.
 *
 * @param what start of the error message: the call, such as `delete ConfigMap`
 * @param key namespace and name, which may have wrong types because they may come from unchecked JSON
 * @throws {Error} if the name is missing or empty, or if the name or the namespace is `.` or `..`, contains `/` or `%`, or is not a string
 * @see client-go rest Request.Name, Request.Namespace
 */
export function checkObjectKey(
  what: string,
  { namespace, name }: { readonly namespace?: unknown; readonly name?: unknown },
): void {
  checkNamespace(what, namespace);
  checkSegment(what, "name", name, "set it to the name of one object");
}

/**
 * Reports whether a name is valid for an object. References may contain invalid names, because servers do not validate
 * them.
 */
export const isObjectName = (name: string): boolean => segmentProblem(name) === undefined;

/** Checks a namespace, which may be absent or empty. @throws {Error} in the same cases as {@link checkObjectKey} */
export function checkNamespace(what: string, namespace: unknown): void {
  if (namespace === undefined || namespace === null || namespace === "") return;
  checkSegment(what, "namespace", namespace, "set it to the name of a namespace");
}

/** Returns the error for an object without a namespace whose kind is namespaced. */
export const missingNamespace = (what: string): Error =>
  new Error(`${what}: objects of this kind are namespaced; set the namespace, or write the key as "namespace/name"`);

function checkSegment(what: string, field: string, value: unknown, remedy: string): void {
  const problem = segmentProblem(value);
  if (problem !== undefined) throw new Error(`${what}: ${field}: ${shown(value)} ${problem}; ${remedy}`);
}

function segmentProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not a string";
  if (value === "") return "is empty";
  if (!value.isWellFormed()) return "is not well-formed Unicode";
  return isPathSegmentName(value).join(" and ") || undefined;
}

/** Formats a value for a message. Long values are shortened, because names may come from other programs. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}...` : value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
