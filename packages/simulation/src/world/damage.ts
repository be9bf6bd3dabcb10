import { isRecord } from "@kubewright/apimachinery";
import type { Random } from "../time/random.ts";
import type { WorldObject } from "./normalise.ts";

/** A change to one value that the program set in an object. */
export interface Damage {
  /** Path of the field, such as `spec.replicas`. */
  readonly path: string;
  readonly value: unknown;
  /** Merge patch that makes the change. */
  readonly patch: object;
}

/** Field managers other than the program. */
const others: ReadonlySet<string> = new Set(["user", "neighbour", "kube-controller-manager"]);

/**
 * Returns changes to individual values that the program set, in random order. All field managers except users, neighbours and the cluster's
 * own controllers count as the program. The server may reject some of the changes.
 *
 * @param isSent reports whether the program sent a field, because a field manager's fields also include defaults set by
 * the API server. By default, all fields count as sent
 */
export function damagesOf(object: WorldObject, random: Random, isSent = (_path: string): boolean => true): Damage[] {
  const { labels, managedFields = [] } = object.metadata;
  const content = Object.entries(object).filter(
    ([name]) => !["apiVersion", "kind", "metadata", "status"].includes(name),
  );
  const paths = leavesOf({ ...Object.fromEntries(content), ...(labels ? { metadata: { labels } } : {}) }, []);
  const isSet = (path: readonly string[]): boolean =>
    managedFields.some(
      ({ manager = "", subresource, fieldsV1 }) =>
        !others.has(manager) &&
        !subresource &&
        valueAt(
          fieldsV1,
          path.map((name) => `f:${name}`),
        ) !== undefined,
    );
  const left = paths.filter((path) => isSet(path) && isSent(path.join(".")));
  const damages: Damage[] = [];
  while (left.length > 0) {
    const [path = []] = left.splice(random.below(left.length), 1);
    const value = otherThan(valueAt(object, path));
    const patch = path.reduceRight<unknown>((below, name) => ({ [name]: below }), value);
    if (isRecord(patch)) damages.push({ path: path.join("."), value, patch });
  }
  return damages;
}

/**
 * Returns the paths of the values that a request sent, as in {@link Damage}.
 *
 * @param old the object before the request. Values that the request merely repeats are omitted
 */
export const sentPaths = (sent: unknown, old?: WorldObject): string[] =>
  leavesOf(sent, []).flatMap((path) => (old && valueAt(old, path) === valueAt(sent, path) ? [] : [path.join(".")]));

const valueAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((of, name) => (isRecord(of) ? of[name] : undefined), object);

/** Returns a different value of the same type. Strings in a Secret's data remain valid base64. */
const otherThan = (value: unknown): unknown => {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  const text = String(value);
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? `eHh4${text}` : `${text}x`;
};

function leavesOf(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (!isRecord(value)) return typeof value === "object" ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}
