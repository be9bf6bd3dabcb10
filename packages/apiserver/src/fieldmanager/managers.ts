import { type DeepReadonly, isRecord, type ManagedFieldsEntry } from "@kubewright/apimachinery";
import { FieldSet } from "./field-set.ts";

/** A manager and the fields that it owns. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Entries, keyed by {@link managerId}. */
export type Managers = Map<string, ManagedEntry>;

type Identity = Pick<ManagedEntry, "manager" | "operation" | "apiVersion" | "subresource">;

/**
 * Returns the identifier of an entry, which consists of the manager, the operation, the subresource and, for updates, the version.
 * Conflicts are listed in the order of these identifiers.
 *
 * @see apimachinery pkg/util/managedfields BuildManagerIdentifier
 */
export function managerId({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    manager: manager || undefined,
    operation,
    apiVersion: operation === "Apply" ? undefined : apiVersion,
    subresource: subresource || undefined,
  });
}

/** Decodes `metadata.managedFields`. Returns `undefined` if an entry is not valid. */
export function decodeManagers(list: DeepReadonly<readonly ManagedFieldsEntry[]> | undefined): Managers | undefined {
  const managers: Managers = new Map();
  for (const entry of list ?? []) {
    const { operation, apiVersion, fieldsType } = entry;
    if ((operation !== "Apply" && operation !== "Update") || !apiVersion || fieldsType !== "FieldsV1") return undefined;
    const fields = FieldSet.fromFieldsV1(entry.fieldsV1 ?? {});
    if (!fields) return undefined;
    const decoded: ManagedEntry = {
      manager: entry.manager ?? "",
      operation,
      apiVersion,
      subresource: entry.subresource ?? "",
      time: entry.time,
      fields,
    };
    managers.set(managerId(decoded), decoded);
  }
  return managers;
}

/**
 * Encodes managers as `managedFields`, ordered by operation (`Apply` first), time and manager. Returns `undefined` if
 * there are no managers.
 */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(byStoredOrder).map(encodeEntry);
}

/** Encodes one manager as an entry in `managedFields`. */
export function encodeEntry({ manager, operation, apiVersion, time, subresource, fields }: ManagedEntry) {
  const entry: ManagedFieldsEntry = { manager, operation, apiVersion };
  if (time !== undefined) entry.time = time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = fields.toFieldsV1();
  if (subresource !== "") entry.subresource = subresource;
  return entry;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byStoredOrder = (a: ManagedEntry, b: ManagedEntry): number =>
  order(a.operation, b.operation) ||
  secondsOf(a) - secondsOf(b) ||
  order(a.manager, b.manager) ||
  order(a.apiVersion, b.apiVersion) ||
  order(a.subresource, b.subresource);

const secondsOf = ({ time }: ManagedEntry): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1_000));

/** Reports whether a client requests that `managedFields` be cleared, by sending `[]` or `[{}]`. */
export function isReset(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  const [first] = list;
  return list.length === 0 || (list.length === 1 && isRecord(first) && Object.keys(first).length === 0);
}

const maxUpdateManagers = 10;
const bucketName = "ancient-changes";

/**
 * Merges the oldest update entries until at most ten remain. The entries for each version are merged into one entry
 * named `ancient-changes`.
 *
 * @see apimachinery pkg/util/managedfields capManagersManager
 */
export function capManagers(managers: Managers): void {
  if (managers.size <= maxUpdateManagers) return;
  const updaters = [...managers].filter(([, entry]) => entry.operation === "Update");
  let count = updaters.length;
  if (count <= maxUpdateManagers) return;
  updaters.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || order(idA, idB));
  const firstOfVersion = new Map<string, string>();
  const merged = new Map<string, FieldSet[]>();
  for (const [id, entry] of updaters) {
    if (count <= maxUpdateManagers) break;
    const first = firstOfVersion.get(entry.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, id);
      continue;
    }
    const bucket = { ...entry, manager: bucketName, subresource: "" };
    const bucketId = managerId(bucket);
    const existing = managers.get(bucketId) ?? managers.get(first);
    if (!managers.has(bucketId)) managers.delete(first);
    managers.delete(id);
    const parts = merged.get(bucketId) ?? (existing ? [existing.fields] : []);
    parts.push(entry.fields);
    merged.set(bucketId, parts);
    managers.set(bucketId, { ...bucket, fields: FieldSet.empty });
    count--;
  }
  for (const [id, parts] of merged) {
    const bucket = managers.get(id);
    if (bucket) managers.set(id, { ...bucket, fields: FieldSet.unionOf(parts) });
  }
}
