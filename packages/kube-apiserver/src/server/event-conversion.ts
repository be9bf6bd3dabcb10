import type { Unstructured } from "@kubewright/apimachinery";
import type { VersionConverter } from "@kubewright/apiserver/registry";
import type { StoredObject } from "@kubewright/storage";
import { freezeTree } from "@kubewright/storage";

/** Pairs of field names that differ: the name in `v1` and the name in `events.k8s.io/v1`. */
const renamed: readonly (readonly [string, string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toNew = new Map(renamed);
const toOld = new Map(renamed.map(([old, next]) => [next, old]));

function rename(object: StoredObject, names: ReadonlyMap<string, string>, apiVersion: string): Unstructured {
  const copy = structuredClone(object) as Unstructured;
  const entries = Object.entries(copy).map(([name, value]) => [names.get(name) ?? name, value]);
  return { ...Object.fromEntries(entries), apiVersion, kind: "Event", metadata: copy.metadata };
}

const converted = new WeakMap<StoredObject, StoredObject>();

/**
 * A converter for events, which are stored as `v1` and also served as `events.k8s.io/v1`. Both formats have the same
 * content, but some field names differ.
 */
export const eventConverter: VersionConverter = {
  toServed: (stored) =>
    stored.map((object) => {
      let served = converted.get(object);
      if (!served) {
        served = freezeTree(rename(object, toNew, "events.k8s.io/v1"));
        converted.set(object, served);
      }
      return served;
    }),
  toStored: (served) => rename(served, toOld, "v1"),
};
