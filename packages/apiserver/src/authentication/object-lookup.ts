import type { Storage } from "@kubewright/storage";
import type { ReadonlyObject } from "../registry/resource.ts";

/** Returns a stored object of a built-in kind, or `undefined` if it does not exist. The core group is `""`. */
export type ObjectLookup = (
  group: string,
  resource: string,
  namespace: string,
  name: string,
) => Promise<ReadonlyObject | undefined>;

/** Reads directly from the store. */
export function storedObjects(storage: Storage): ObjectLookup {
  return (group, resource, namespace, name) =>
    storage.get(`/${group || "core"}/${resource}/${namespace === "" ? "" : `${namespace}/`}${name}`, {
      ignoreNotFound: true,
    });
}
