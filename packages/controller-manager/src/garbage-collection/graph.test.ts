import { unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { nodeOf, OwnershipGraph } from "./graph.ts";

const kind = unstructured({ apiVersion: "v1", kind: "ConfigMap" });
const object = (name: string, owners: readonly { name: string; blockOwnerDeletion?: boolean }[] = []) =>
  nodeOf(kind, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      uid: `uid-${name}`,
      ownerReferences: owners.map((owner) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        uid: `uid-${owner.name}`,
        ...owner,
      })),
    },
  });
const names = (nodes: readonly { readonly name: string }[]): string[] => nodes.map(({ name }) => name).sort();

it("finds the dependents of an owner in any order of appearance", () => {
  const graph = new OwnershipGraph();
  graph.put(object("child", [{ name: "parent" }]));
  graph.put(object("parent"));
  expect(names(graph.dependentsOf("uid-parent"))).toEqual(["child"]);
  graph.remove("uid-child");
  expect(graph.dependentsOf("uid-parent")).toEqual([]);
});

it("follows changed references", () => {
  const graph = new OwnershipGraph();
  graph.put(object("child", [{ name: "a" }, { name: "b" }]));
  graph.put(object("child", [{ name: "b" }]));
  expect(graph.dependentsOf("uid-a")).toEqual([]);
  expect(names(graph.dependentsOf("uid-b"))).toEqual(["child"]);
});

it("distinguishes dependents that block their owner from others", () => {
  const graph = new OwnershipGraph();
  graph.put(object("holding", [{ name: "parent", blockOwnerDeletion: true }]));
  graph.put(object("free", [{ name: "parent" }]));
  expect(names(graph.blockingDependentsOf("uid-parent"))).toEqual(["holding"]);
});

it("remembers a deleted owner as long as objects refer to it", () => {
  const graph = new OwnershipGraph();
  graph.put(object("parent"));
  graph.put(object("child", [{ name: "parent" }]));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(true);
  graph.remove("uid-child");
  expect(graph.isGone("uid-parent")).toBe(false);
});

it("does not treat an unseen owner as deleted", () => {
  const graph = new OwnershipGraph();
  graph.put({ ...object("parent"), isVirtual: true });
  graph.put(object("child", [{ name: "parent" }]));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(false);
});

it("returns the objects of a kind in any version, but not unseen owners", () => {
  const graph = new OwnershipGraph();
  const of = (apiVersion: string, name: string) => {
    const thing = unstructured({ apiVersion, kind: "Thing" });
    return nodeOf(thing, { apiVersion, kind: "Thing", metadata: { name, uid: `uid-${name}` } });
  };
  graph.put(of("a.example.com/v1", "first"));
  graph.put(of("a.example.com/v2", "second"));
  graph.put(of("b.example.com/v1", "of another group"));
  graph.put({ ...of("a.example.com/v1", "virtual"), isVirtual: true });
  graph.put(object("of another kind"));
  expect(names(graph.nodesOf(unstructured({ apiVersion: "a.example.com/v3", kind: "Thing" })))).toEqual([
    "first",
    "second",
  ]);
  expect(graph.nodesOf(unstructured({ apiVersion: "a.example.com/v1", kind: "Other" }))).toEqual([]);
});

it("forgets a dependency with its last dependent", () => {
  const graph = new OwnershipGraph();
  graph.put(object("child", [{ name: "parent" }]));
  graph.remove("uid-child");
  graph.put(object("parent"));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(false);
});
