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

it("knows the dependents of an owner, whichever of them was seen first", () => {
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

it("tells dependents that hold their owner back from those that do not", () => {
  const graph = new OwnershipGraph();
  graph.put(object("holding", [{ name: "parent", blockOwnerDeletion: true }]));
  graph.put(object("free", [{ name: "parent" }]));
  expect(names(graph.blockingDependentsOf("uid-parent"))).toEqual(["holding"]);
});

it("remembers an owner that went, until nobody refers to it", () => {
  const graph = new OwnershipGraph();
  graph.put(object("parent"));
  graph.put(object("child", [{ name: "parent" }]));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(true);
  graph.remove("uid-child");
  expect(graph.isGone("uid-parent")).toBe(false);
});

it("does not take an owner for gone that nobody has seen", () => {
  const graph = new OwnershipGraph();
  graph.put({ ...object("parent"), isVirtual: true });
  graph.put(object("child", [{ name: "parent" }]));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(false);
});

it("knows the objects of a kind, in whichever version, but not those that are only referred to", () => {
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

it("forgets what depends on whom with the last who does", () => {
  const graph = new OwnershipGraph();
  graph.put(object("child", [{ name: "parent" }]));
  graph.remove("uid-child");
  graph.put(object("parent"));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(false);
});
