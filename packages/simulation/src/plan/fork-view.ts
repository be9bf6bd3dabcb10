import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { everything } from "@kubewright/storage";
import { type ClusterObject, collectionPath } from "../cluster/cluster-object.ts";
import type { CollectedCluster } from "../cluster/garbage-collector.ts";
import type { ForkStorage } from "./fork-storage.ts";

/** The members of {@link CollectedCluster} that send requests. */
export type Requests = Pick<CollectedCluster, "time" | "request">;

/**
 * Returns the copied cluster in the form that a garbage collector needs. Owners whose kinds were not copied still exist
 * in the live cluster, so each of them is represented by an object without content.
 */
export function forkView(storage: () => ForkStorage, cluster: Requests): CollectedCluster {
  const paths = new Map<string, string>();
  const objects = async (): Promise<ClusterObject[]> => {
    paths.clear();
    const found: ClusterObject[] = [];
    for (const prefix of storage().prefixes) {
      const [, group = "", resource = ""] = prefix.split("/");
      const { items } = await storage().getList(prefix, { predicate: everything });
      for (const item of items) {
        const object = item as ClusterObject; // storage holds JSON objects
        found.push(object);
        paths.set(object.metadata.uid ?? "", pathOf(object, group === "core" ? "" : group, resource));
      }
    }
    const uids = new Set(found.map(({ metadata }) => metadata.uid));
    const strangers = new Set<string>();
    for (const { metadata } of found)
      for (const { uid } of metadata.ownerReferences ?? [])
        if (!uids.has(uid) && !storage().removed.has(uid)) strangers.add(uid);
    for (const uid of strangers) found.push({ apiVersion: "v1", kind: "", metadata: { name: "", uid } });
    return found;
  };
  return {
    time: cluster.time,
    touched: [],
    objects,
    pathOf: ({ metadata }) => paths.get(metadata.uid ?? ""),
    request: (...args) => cluster.request(...args),
  };
}

function pathOf(object: DeepReadonly<KubeObject>, group: string, resource: string): string {
  const version = object.apiVersion.slice(object.apiVersion.lastIndexOf("/") + 1);
  const { namespace, name } = object.metadata;
  return `${collectionPath({ group, version, resource, isNamespaced: namespace !== undefined }, namespace)}/${name}`;
}
