import type { Storage } from "@kubewright/storage";
import type { ReadonlyObject } from "../registry/resource.ts";

/** Returns a stored object of a built-in kind, or `undefined` if the object does not exist. The core group is `""`. */
export type ObjectLookup = (
  group: string,
  resource: string,
  namespace: string,
  name: string,
) => Promise<ReadonlyObject | undefined>;

/** Returns a lookup that reads objects directly from the storage. */
export function storedObjects(storage: Storage): ObjectLookup {
  return (group, resource, namespace, name) =>
    storage.get(`/${group || "core"}/${resource}/${namespace === "" ? "" : `${namespace}/`}${name}`, {
      ignoreNotFound: true,
    });
}
