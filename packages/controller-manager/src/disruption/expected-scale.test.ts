import type { KubeObject, OwnerReference } from "@kubewright/apimachinery";
import { notFound } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { expectedScale } from "./expected-scale.ts";

const owner = (kind: string, name: string, uid = name): OwnerReference => ({
  apiVersion: "apps/v1",
  kind,
  name,
  uid,
  controller: true,
});
const scaled = (name: string, replicas: unknown, above?: OwnerReference): KubeObject => {
  const metadata = { name, uid: name, ...(above ? { ownerReferences: [above] } : {}) };
  const object = { apiVersion: "apps/v1", kind: "Any", metadata, spec: { replicas } };
  return object;
};
const objects: Readonly<Record<string, KubeObject>> = {
  set: scaled("set", 3),
  other: scaled("other", 2),
  odd: scaled("odd", "x"),
  bare: { apiVersion: "v1", kind: "Any", metadata: { name: "bare", uid: "bare" } },
  deployed: scaled("deployed", 3, owner("Deployment", "deployment")),
  deployedBefore: scaled("deployedBefore", 1, owner("Deployment", "deployment")),
  orphaned: scaled("orphaned", 4, owner("Deployment", "none")),
  custom: scaled("custom", 5, owner("Rollout", "deployment")),
  job: scaled("job", 6, owner("Deployment", "deployment")),
  deployment: scaled("deployment", 10),
};

/** @see kubernetes pkg/controller/disruption TestReplicationController, TestMultipleControllers, getPodReplicaSet, getPodDeployment */
it.each<[string, OwnerReference[], number]>([
  ["nobody", [], 0],
  ["a set", [owner("ReplicaSet", "set")], 3],
  ["a set, of several pods", [owner("ReplicaSet", "set"), owner("ReplicaSet", "set")], 3],
  ["two sets", [owner("ReplicaSet", "set"), owner("StatefulSet", "other")], 5],
  ["a set that is not there", [owner("ReplicaSet", "none")], 0],
  ["a former set of the name", [owner("ReplicaSet", "set", "former")], 0],
  ["a missing owner, and a set", [owner("ReplicaSet", "none"), owner("ReplicaSet", "set")], 3],
  ["an owner without a number", [owner("ReplicaSet", "odd")], 0],
  ["an owner without a spec, and a set", [owner("Any", "bare"), owner("ReplicaSet", "set")], 3],
  ["an owner without a number, and a set", [owner("ReplicaSet", "odd"), owner("ReplicaSet", "set")], 3],
  ["a set of a deployment", [owner("ReplicaSet", "deployed")], 10],
  ["two sets of a deployment", [owner("ReplicaSet", "deployed"), owner("ReplicaSet", "deployedBefore")], 10],
  ["a set of a deployment that is not there", [owner("ReplicaSet", "orphaned")], 4],
  ["a set of another kind of owner", [owner("ReplicaSet", "custom")], 5],
  ["not a set, of a deployment", [owner("Job", "job")], 6],
])("the owners request this many pods in total: %s", async (_what, owners, expected) => {
  const read = async ({ name }: { readonly name: string }, namespace: string | undefined) => {
    expect(namespace).toBe("ns");
    const found = objects[name];
    if (!found) throw notFound({ group: "apps", resource: "any" }, name);
    return found;
  };
  expect(await expectedScale(owners, "ns", read)).toBe(expected);
});

it("an unreadable owner is not treated as a missing one", async () => {
  const read = () => Promise.reject(new Error("away"));
  for (const name of ["..", "a/b", ""]) expect(await expectedScale([owner("ReplicaSet", name)], "ns", read)).toBe(0);
  await expect(expectedScale([owner("ReplicaSet", "set")], "ns", read)).rejects.toThrow("away");
});
