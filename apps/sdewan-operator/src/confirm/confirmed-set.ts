import { gunzipSync, gzipSync } from "node:zlib";
import type { Change, Origin } from "../cnf/session/change.ts";
import { compareOrder, type Order } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";

/** An object that a pod had when its probes last passed. */
interface ConfirmedObject {
  readonly object: UciObject;
  readonly order?: Order | undefined;
}

/** The objects that a pod had when its probes last passed, keyed by {@link changeKeyOf}. */
export type ConfirmedSet = Map<string, ConfirmedObject>;

/** The version of a resource whose change was rolled back. */
export interface HeldResource {
  readonly uid: string;
  readonly revision: string;
  readonly origin: Origin;
  /** UIDs of the pods on which the previous object was restored. */
  readonly restoredOn: string[];
}

/** A group of resources whose changes were rolled back together. */
export interface Hold {
  /** The reason, without the name of the pod. */
  readonly reason: string;
  readonly resources: readonly HeldResource[];
}

/** The known confirmations for one CNF. */
export interface CnfConfirmations {
  /** The confirmed set of each pod whose probes have passed, keyed by the pod's uid. */
  readonly sets: Map<string, ConfirmedSet>;
  holds: readonly Hold[];
}

/** Returns a key that identifies a change's object within a CNF. */
export const changeKeyOf = ({ kind, name }: Pick<Change, "kind" | "name">): string => `${kind.path}/${name}`;

/** Reports whether a pod had exactly the desired state of a change when its probes last passed. */
export function isConfirmed(set: ConfirmedSet, change: Change): boolean {
  const known = set.get(changeKeyOf(change));
  if (!known || change.desired === undefined) return !known && change.desired === undefined;
  if (JSON.stringify(known.object) !== JSON.stringify(change.desired)) return false;
  if (!known.order || !change.order) return known.order === change.order;
  return compareOrder(known.order, change.order) === 0;
}

/** Records that a pod has reached the state that a change requires. */
export function confirm(set: ConfirmedSet, change: Change): void {
  const { desired, order } = change;
  if (desired === undefined) set.delete(changeKeyOf(change));
  else set.set(changeKeyOf(change), order ? { object: desired, order } : { object: desired });
}

const formatVersion = 1;
/** Maximum size after decompression. It protects the operator from a compressed text that someone else stored. */
const maxBytes = 64 * 1024 * 1024;

/** Encodes confirmations as compressed bytes. The inverse of {@link decoded}. */
export function encoded({ sets, holds }: CnfConfirmations): Buffer {
  const pods = Object.fromEntries([...sets].map(([uid, set]) => [uid, Object.fromEntries(set)]));
  return gzipSync(JSON.stringify({ version: formatVersion, pods, holds }));
}

/** Decodes the result of {@link encoded}. @throws {Error} if the bytes are not such a result */
export function decoded(bytes: Uint8Array): CnfConfirmations {
  const all = fieldsOf(JSON.parse(gunzipSync(bytes, { maxOutputLength: maxBytes }).toString("utf8")));
  if (all.version !== formatVersion) throw new Error(`unknown version ${String(all.version)}`);
  const sets = new Map(
    Object.entries(fieldsOf(all.pods)).map(([uid, set]): [string, ConfirmedSet] => [
      uid,
      new Map(Object.entries(fieldsOf(set)).map(([key, object]) => [key, confirmedObject(object)])),
    ]),
  );
  return { sets, holds: listOf(all.holds).map(hold) };
}

function confirmedObject(value: unknown): ConfirmedObject {
  const { object, order } = fieldsOf(value);
  if (!isUciObject(object)) throw new Error("the text contains a malformed object");
  return order === undefined ? { object } : { object, order: orderFrom(order) };
}

function orderFrom(value: unknown): Order {
  const { order, created, name } = fieldsOf(value);
  return { order: Number(order), created: created === undefined ? undefined : String(created), name: String(name) };
}

function hold(value: unknown): Hold {
  const { reason, resources } = fieldsOf(value);
  return {
    reason: String(reason),
    resources: listOf(resources).map((each) => {
      const { uid, revision, origin, restoredOn } = fieldsOf(each);
      const { kind, key } = fieldsOf(origin);
      return {
        uid: String(uid),
        revision: String(revision),
        origin: { kind: String(kind), key: String(key) },
        restoredOn: listOf(restoredOn).map(String),
      };
    }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null)
    throw new Error("the text contains a single value instead of an object");
  return { ...value };
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error("the text contains a single value instead of a list");
  return value;
}

const isUciObject = (value: unknown): value is UciObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
