import { type DeepReadonly, isRecord, type KubeObject, stringifyJson } from "@kubewright/apimachinery";

/** An object in a world. */
export type WorldObject = DeepReadonly<KubeObject>;

/**
 * State that may depend on the past, such as a generated password. If this is a list of kinds, only the existence of
 * their objects and keys is compared, not the values under `data`, `spec` and `status`. If it is a map from kinds to
 * field paths, such as `{ Backup: ["status.id"] }`, the fields at these paths are not compared. In a path, `*` matches
 * every list item or field. The path `*` matches the whole object, so that even its existence is not compared.
 */
export type Remembers = readonly string[] | Readonly<Record<string, readonly string[]>>;

export interface NormaliseOptions {
  /** State that may depend on the past. Default: none. */
  readonly remembers?: Remembers | undefined;
}

/** An object without the values that differ between clusters. */
export interface NormalObject {
  /** Kind and key, such as `ConfigMap shop/north`. A generated name is written as its prefix: `Job shop/backup-*`. */
  readonly id: string;
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * Replaces values that differ between two clusters with the same content: UIDs, generated names, times, and addresses
 * allocated by the server. Also replaces references to these values in other objects. Removes versions, generations and
 * managed fields. Replaces a generation in a status by `current` or `outdated`.
 */
export function normalised(objects: readonly WorldObject[], { remembers = [] }: NormaliseOptions = {}): NormalObject[] {
  const names = new Names(objects);
  return objects
    .map((object) => ({
      id: idOf(object),
      kind: object.kind,
      value: withoutMemory(normalObject(object, names), object.kind, remembers),
    }))
    .toSorted((a, b) => compareText(a.id, b.id) || compareText(stringifyJson(a.value), stringifyJson(b.value)));
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the kind and key of an object. Only the prefix of a generated name is used, because the rest is random. */
export function idOf({ kind, metadata }: WorldObject): string {
  const name = generatedName(metadata) ?? metadata.name;
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${name}`;
}

const generatedName = ({ name, generateName }: WorldObject["metadata"]): string | undefined =>
  generateName && name?.startsWith(generateName) ? `${generateName}*` : undefined;

/** Names that the server generated, and UIDs. */
class Names {
  readonly #texts = new Map<string, string>();

  constructor(objects: readonly WorldObject[]) {
    for (const object of objects) {
      const { name, uid } = object.metadata;
      const generated = generatedName(object.metadata);
      if (name && generated) this.#texts.set(name, generated);
      if (uid) this.#texts.set(uid, `<uid of ${idOf(object)}>`);
    }
  }

  replacedIn(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    let result = text;
    for (const [name, replacement] of this.#texts) result = result.replaceAll(name, replacement);
    return result.replaceAll(uid, "<uid of a deleted object>");
  }
}

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Metadata that each cluster assigns differently. `generateName` is part of the identity. */
const assigned = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
  "name",
  "generateName",
];

/** Annotation in which the Deployment controller counts the rollouts. */
const rollouts = "deployment.kubernetes.io/revision";

function normalObject(object: WorldObject, names: Names): Record<string, unknown> {
  const { metadata, ...rest } = object;
  const kept = Object.entries(metadata).filter(([name]) => !assigned.includes(name));
  const { generation } = metadata;
  const value = (of: unknown, path: readonly string[]): unknown => {
    if (typeof of === "string") return time.test(of) ? "<time>" : names.replacedIn(of);
    if (Array.isArray(of))
      return ordered(
        of.map((item) => value(item, path)),
        path,
      );
    if (!isRecord(of)) return of;
    const members = Object.entries(of).map(([name, member]): [string, unknown] => {
      if (name === rollouts && path[0] === "metadata") return [name, "<counted>"];
      if (name === "observedGeneration" && path[0] === "status" && typeof member === "number")
        return [name, member === generation ? "current" : "outdated"];
      return [name, isAllocated(object.kind, name, member) ? "<allocated>" : value(member, [...path, name])];
    });
    return Object.fromEntries(members);
  };
  const fields = Object.entries(rest).map(([name, member]): [string, unknown] => [name, value(member, [name])]);
  return { ...Object.fromEntries(fields), metadata: value(Object.fromEntries(kept), ["metadata"]) };
}

/** Reports whether the API server chose this value of a Service, from a range that all Services share. */
const isAllocated = (kind: string, name: string, value: unknown): boolean =>
  kind === "Service" &&
  ["clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort"].includes(name) &&
  value !== "None" &&
  !(Array.isArray(value) && value[0] === "None");

/**
 * Sorts lists whose order has no meaning: lists of references, finalizers and conditions, and lists of strings in a
 * status.
 */
function ordered(items: readonly unknown[], [first, last]: readonly string[]): readonly unknown[] {
  const isSet =
    first === "metadata" ||
    (first === "status" && (last === "conditions" || items.every((item) => typeof item === "string")));
  return isSet ? items.toSorted((a, b) => compareText(sortKey(a), sortKey(b))) : items;
}

const sortKey = (item: unknown): string =>
  isRecord(item) && typeof item.type === "string" ? item.type : stringifyJson(item);

/** Reports whether objects of a kind are excluded from the comparison, including their existence. */
export const isFree = (kind: string, { remembers = [] }: NormaliseOptions): boolean =>
  !isKinds(remembers) && Object.hasOwn(remembers, kind) && remembers[kind]?.includes("*") === true;

const isKinds = (remembers: Remembers): remembers is readonly string[] => Array.isArray(remembers);

const remembered = "<remembered>";

function withoutMemory(
  object: Record<string, unknown>,
  kind: string,
  remembers: Remembers,
): Readonly<Record<string, unknown>> {
  if (isKinds(remembers)) {
    if (!remembers.includes(kind)) return object;
    const masked = (name: string, value: unknown): unknown =>
      ["data", "stringData", "binaryData", "spec", "status"].includes(name) ? maskedLeaves(value) : value;
    return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, masked(name, value)]));
  }
  const paths = Object.hasOwn(remembers, kind) ? (remembers[kind] ?? []) : [];
  return paths.reduce<Record<string, unknown>>((value, path) => {
    const next = maskedAt(value, path.split("."));
    return isRecord(next) ? next : value;
  }, object);
}

/** Replaces the values of members, but keeps the members, because their existence is compared. */
function maskedLeaves(value: unknown): unknown {
  if (Array.isArray(value)) return remembered;
  if (!isRecord(value)) return remembered;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskedLeaves(member)]));
}

function maskedAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return remembered;
  if (Array.isArray(value))
    return value.map((item, i) => (name === "*" || name === String(i) ? maskedAt(item, rest) : item));
  if (!isRecord(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([key, member]) => [key, name === "*" || name === key ? maskedAt(member, rest) : member]),
  );
}
