import { type DeepReadonly, isRecord, type KubeObject } from "@kubewright/apimachinery";
import type { Answer, ClusterObject } from "../cluster/cluster-object.ts";
import { collectionPath } from "../cluster/cluster-object.ts";
import { fieldChanges } from "./field-changes.ts";
import type { LiveCopy } from "./live-copy.ts";
import type { PlannedChange } from "./plan-report.ts";

/** An object that was written to the copy of the cluster. */
export interface WrittenObject {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly cause?: string | undefined;
}

/** A change, and the object before and after it. */
export interface ChangedObject {
  readonly change: PlannedChange;
  readonly written: WrittenObject;
  readonly before: ClusterObject | undefined;
  readonly after: ClusterObject | undefined;
}

export interface ChangesOptions {
  readonly copy: LiveCopy;
  /** Version of the copy before anything was written to it. */
  readonly startVersion: number;
  /** Reads a collection of the copy. */
  readonly read: (path: string) => Promise<Answer>;
  readonly written: readonly WrittenObject[];
}

/**
 * Compares the written objects with the live cluster's objects. Both are read in the same API version, even if the copy
 * stores them in a newer one.
 */
export async function plannedChanges({ copy, startVersion, read, written }: ChangesOptions): Promise<ChangedObject[]> {
  const found: ChangedObject[] = [];
  for (const [key, objects] of Map.groupBy(written, ({ group, resource }) => `${group}/${resource}`)) {
    const [first] = objects;
    if (!first) continue;
    const prefix = `/${first.group === "" ? "core" : first.group}/${first.resource}/`;
    const versions = new Set([copy.resources.get(prefix)?.version ?? first.version, first.version]);
    let before: ReadonlyMap<string, ClusterObject> | undefined;
    let after: ReadonlyMap<string, ClusterObject> | undefined;
    for (const version of versions) {
      const path = collectionPath({ ...first, version, isNamespaced: first.namespace !== "" });
      after = itemsOf(await read(path));
      if (!after) continue;
      before =
        itemsOf(await read(`${path}?resourceVersion=${startVersion}&resourceVersionMatch=Exact`)) ??
        baseOf(copy, prefix);
      break;
    }
    if (!before || !after) throw new Error(`the states of ${key} cannot be compared`);
    for (const each of objects) {
      const id = `${each.namespace}/${each.name}`;
      found.push(...changesOf(each, before.get(id), after.get(id)));
    }
  }
  const order = ({ change: { kind, namespace = "", name } }: ChangedObject): string => `${kind} ${namespace}/${name}`;
  return found.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
}

function changesOf(
  written: WrittenObject,
  before: ClusterObject | undefined,
  after: ClusterObject | undefined,
): ChangedObject[] {
  const object = after ?? before;
  if (!object) return []; // created and deleted again
  const isReplaced = before && after && before.metadata.uid !== after.metadata.uid;
  const about = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(written.namespace === "" ? {} : { namespace: written.namespace }),
    name: written.name,
    ...(written.cause === undefined ? {} : { cause: written.cause }),
  };
  const changed = (action: PlannedChange["action"], fields: PlannedChange["fields"]): ChangedObject => ({
    change: { action, ...about, fields },
    written,
    before: action === "create" ? undefined : before,
    after: action === "delete" ? undefined : after,
  });
  if (isReplaced) return [changed("delete", []), changed("create", created(after))];
  if (!after) return [changed("delete", [])];
  if (!before) return [changed("create", created(after))];
  const fields = fieldChanges(compared(before), compared(after));
  return fields.length > 0 ? [changed("change", fields)] : [];
}

/** Returns the fields of a new object. */
const created = (after: ClusterObject): PlannedChange["fields"] => {
  const { apiVersion, kind, metadata } = after;
  const { namespace, name } = metadata;
  return fieldChanges(
    { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } },
    after,
  );
};

/** Returns the part of an object that a plan compares. The conversion of a CRD is redirected in the copy. */
function compared(object: ClusterObject): DeepReadonly<KubeObject> {
  if (object.kind !== "CustomResourceDefinition" || !isRecord(object.spec)) return object;
  const { conversion: _, ...spec } = object.spec;
  return { ...object, spec, status: undefined } as KubeObject;
}

const idOf = ({ metadata: { namespace = "", name } }: DeepReadonly<KubeObject>): string => `${namespace}/${name}`;

/** Returns the objects of a list by their keys, or undefined if the list could not be read. */
function itemsOf({ status, body }: Answer): Map<string, ClusterObject> | undefined {
  if (status !== 200 || !Array.isArray(body.items)) return undefined;
  const { apiVersion, kind } = body;
  const items: readonly ClusterObject[] = body.items;
  const about = { apiVersion: String(apiVersion), kind: String(kind).replace(/List$/, "") };
  return new Map(items.map((item) => [idOf(item), { ...item, ...about }]));
}

const baseOf = (copy: LiveCopy, prefix: string): Map<string, ClusterObject> =>
  new Map(
    [...copy.base].flatMap(([key, object]) =>
      key.startsWith(prefix) ? [[idOf(object as ClusterObject), object as ClusterObject] as const] : [],
    ),
  );
