import { isPathSegmentName } from "../value/names.ts";
import type { DeepReadonly, ObjectMeta } from "./object.ts";

/** `namespace/name`, or `name` alone for objects of the cluster. */
export type ObjectKey = string;

/** Anything that says which object is meant. */
export type KeyLike = ObjectKey | { readonly namespace?: string | undefined; readonly name: string };

interface Named {
  readonly metadata: DeepReadonly<Pick<ObjectMeta, "name" | "namespace">>;
}

/**
 * The key of an object, as queues and caches use it.
 *
 * @see client-go tools/cache MetaNamespaceKeyFunc
 */
export function keyOf(object: Named): ObjectKey {
  return joinKey(object.metadata.namespace, object.metadata.name);
}

/** Sorts objects of one kind by their keys: `(await client.list(Pod)).toSorted(byKey)`. Lists that a cache returns have no order. */
export function byKey(a: Named, b: Named): number {
  const [key, other] = [keyOf(a), keyOf(b)];
  return key < other ? -1 : key > other ? 1 : 0;
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

/**
 * Checks that a key names one object. The path of an object without its name is the path of all objects:
 * `DELETE .../configmaps/` deletes every one of them.
 *
 * @param what the attempted call, `delete ConfigMap`, with which the error begins
 * @param key namespace and name, whose types may be wrong: they may come from unchecked JSON
 * @throws {Error} if the name is missing or empty, or if the name or the namespace is `.` or `..`, contains `/` or `%`, or is not text
 * @see client-go rest Request.Name, Request.Namespace
 */
export function checkObjectKey(
  what: string,
  { namespace, name }: { readonly namespace?: unknown; readonly name?: unknown },
): void {
  checkNamespace(what, namespace);
  checkSegment(what, "name", name, "set it to the name of one object");
}

/** Reports whether an object can have this name. A reference to an object may contain any name: servers do not check it. */
export const isObjectName = (name: string): boolean => segmentProblem(name) === undefined;

/** Checks a namespace, which may be absent or empty. @throws {Error} as {@link checkObjectKey} */
export function checkNamespace(what: string, namespace: unknown): void {
  if (namespace === undefined || namespace === null || namespace === "") return;
  checkSegment(what, "namespace", namespace, "set it to the name of a namespace");
}

/** The error for an object without a namespace whose kind is namespaced. */
export const missingNamespace = (what: string): Error =>
  new Error(
    `${what}: objects of this kind are in a namespace, and none is given; set namespace, or write the key as "namespace/name"`,
  );

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

/** Names that come from elsewhere may be long. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}...` : value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
