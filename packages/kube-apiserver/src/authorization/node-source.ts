import { isRecord } from "@kubewright/apimachinery";
import { storedObjects } from "@kubewright/apiserver/authentication";
import type { RbacRule } from "@kubewright/apiserver/authorization";
import { everything, type Storage, type StoredObject } from "@kubewright/storage";
import type { NodeSource } from "./node.ts";

/** Returns a source that reads the relations between nodes and objects directly from the store. */
export function nodeSource(storage: Storage): NodeSource {
  const list = async (prefix: string): Promise<readonly StoredObject[]> =>
    (await storage.getList(prefix, { predicate: everything })).items;
  return {
    object: storedObjects(storage),
    podsOnNode: async (namespace, node) =>
      (await list(`/core/pods/${namespace}/`)).filter(({ spec }) => isRecord(spec) && spec.nodeName === node),
    persistentVolumes: () => list("/core/persistentvolumes/"),
  };
}

let known: readonly RbacRule[] | undefined;

/** Returns the permissions that every node has: the rules in the bootstrap role `system:node`. */
export async function nodeRules(): Promise<readonly RbacRule[]> {
  if (known) return known;
  const { bootstrapRbac } = await import("./bootstrap-rbac.ts");
  const role = bootstrapRbac().find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "system:node");
  known = (role?.rules ?? []) as readonly RbacRule[];
  return known;
}
