import { unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import {
  type GraphNode,
  isOrphaning,
  mayOwn,
  nodeOf,
  OwnershipGraph,
  referenceTo,
  waitsForDependents,
} from "./graph.ts";

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

it("answers what it put, what was there before, and what it removed", () => {
  const graph = new OwnershipGraph();
  const [first, second] = [object("a"), object("a", [{ name: "b" }])];
  expect([graph.put(first), graph.put(second), graph.get("uid-a"), graph.size]).toEqual([undefined, first, second, 1]);
  expect([graph.remove("uid-a"), graph.remove("uid-a"), graph.get("uid-a"), graph.size]).toEqual([
    ...[second, undefined, undefined, 0],
  ]);
});

it("does not take an owner for gone that nobody refers to, or that came back", () => {
  const graph = new OwnershipGraph();
  graph.put(object("parent"));
  graph.remove("uid-parent");
  graph.put(object("child", [{ name: "parent" }]));
  expect(graph.isGone("uid-parent")).toBe(false);
  graph.put(object("parent"));
  graph.remove("uid-parent");
  expect(graph.isGone("uid-parent")).toBe(true);
  graph.put(object("parent"));
  expect(graph.isGone("uid-parent")).toBe(false);
});

it("keeps the other dependents of an owner, and takes only what it has for a dependent", () => {
  const graph = new OwnershipGraph();
  for (const name of ["x", "y"])
    graph.put(object(name, [{ name: "parent" }, { name: "other", blockOwnerDeletion: true }]));
  expect(graph.blockingDependentsOf("uid-parent")).toEqual([]);
  graph.put(object("x"));
  expect(names(graph.dependentsOf("uid-parent"))).toEqual(["y"]);
  expect(names(graph.blockingDependentsOf("uid-other"))).toEqual(["y"]);
  expect(graph.dependentsOf("uid-x")).toEqual([]);
});

const node = (more: Partial<GraphNode> = {}): GraphNode => ({ ...object("a"), ...more });

it.each<readonly [more: Partial<GraphNode>, waits: boolean, orphans: boolean]>([
  [{ isDeleting: true, finalizers: ["foregroundDeletion"] }, true, false],
  [{ isDeleting: true, finalizers: ["x", "orphan"] }, false, true],
  [{ isDeleting: true, finalizers: [] }, false, false],
  [{ isDeleting: false, finalizers: ["foregroundDeletion", "orphan"] }, false, false],
])("reads from %j whether an object waits for its dependents, or sets them free", (more, waits, orphans) => {
  expect([waitsForDependents(node(more)), isOrphaning(node(more))]).toEqual([waits, orphans]);
});

it.each([
  [undefined, undefined, true],
  [undefined, "n", true],
  ["n", "n", true],
  ["n", "m", false],
  ["n", undefined, false],
])("lets an object in %j own one in %j: %s", (owner, dependent, may) => {
  expect(mayOwn(node({ namespace: owner }), node({ namespace: dependent }))).toBe(may);
});

it("reads an object, and refers to it", () => {
  const metadata = { name: "a", namespace: "n", uid: "u", deletionTimestamp: "x", finalizers: ["f"] };
  const full = nodeOf(kind, { apiVersion: "v1", kind: "ConfigMap", metadata });
  expect(full).toEqual({
    ...{ uid: "u", kind, namespace: "n", name: "a", owners: [], isDeleting: true, finalizers: ["f"], isVirtual: false },
  });
  expect(referenceTo(full)).toEqual({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n", uid: "u" } },
  });
  const bare = nodeOf(kind, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
  expect(bare).toEqual({
    ...{
      uid: "",
      kind,
      namespace: undefined,
      name: "a",
      owners: [],
      isDeleting: false,
      finalizers: [],
      isVirtual: false,
    },
  });
  expect(referenceTo(bare).metadata).toEqual({ name: "a", uid: "" });
});
