import { DeletedFinalStateUnknown, type KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { type Delta, DeltaFIFO } from "./delta-fifo.ts";
import { Indexer, type IndexerOptions, processDelta, TransactionError } from "./indexer.ts";
import { IndexError, type IndexFunc } from "./indexes.ts";

interface Pod extends KubeObject {
  spec: { node?: string };
}

const pod = (name: string, node?: string, resourceVersion = ""): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", resourceVersion },
  spec: node === undefined ? {} : { node },
});

const byName: IndexFunc<Pod> = ({ metadata }) => [metadata.name];
/** Throws for a Pod without a node. */
const byNode: IndexFunc<Pod> = ({ spec }) => {
  if (spec.node === undefined) throw new Error("no node yet");
  return [spec.node];
};

function storeWith(indexers: Record<string, IndexFunc<Pod>> = { byNode, byName }) {
  const errors: IndexError[] = [];
  const store = new Indexer<Pod>({ indexers, kind: "v1, Kind=Pod", onIndexError: (error) => errors.push(error) });
  return { store, errors };
}

it("stores an object that an index function fails for, leaves it out of that index only, and reports it once", () => {
  const { store, errors } = storeWith();
  store.replace([pod("a", "n1"), pod("b"), pod("c", "n1")], "3");
  expect(store.keys()).toEqual(["web/a", "web/b", "web/c"]);
  expect(store.indexKeys("byNode", "n1")).toEqual(["web/a", "web/c"]);
  expect(store.indexKeys("byName", "b")).toEqual(["web/b"]);
  expect(errors.map(({ message }) => message)).toEqual([
    'v1, Kind=Pod web/b is omitted from the index "byNode": no node yet',
  ]);
  expect(errors[0]).toMatchObject({
    kind: "v1, Kind=Pod",
    key: "web/b",
    index: "byNode",
    cause: new Error("no node yet"),
  });
  store.update(pod("b", undefined, "4"));
  expect(errors).toHaveLength(1);
});

it("files an object again once the index function succeeds for it, and reports another failure", () => {
  const { store, errors } = storeWith();
  store.add(pod("b"));
  store.update(pod("b", "n1"));
  expect(store.indexKeys("byNode", "n1")).toEqual(["web/b"]);
  store.update(pod("b"));
  expect(store.indexValues("byNode")).toEqual([]);
  expect(errors).toHaveLength(2);
  store.delete(pod("b"));
  store.add(pod("b"));
  expect(errors).toHaveLength(3);
});

it("forgets that an object was left out once the function finds no values for it", () => {
  const { store, errors } = storeWith({ byNode: ({ spec }) => (spec.node === "none" ? [] : byNode({ spec } as Pod)) });
  store.add(pod("a"));
  store.update(pod("a", "none"));
  store.update(pod("a"));
  expect(errors).toHaveLength(2);
});

it("accepts only arrays of strings as values", async () => {
  const answers: Record<string, unknown> = {
    "not undefined": undefined,
    "not null": null,
    'not "n1"': "n1",
    "not 5": 5,
    "not a value of type Set": new Set(["n1"]),
    "not a promise": Promise.reject(new Error("nobody waits for this")),
    "but element 1 is 5": ["n1", 5],
    "but element 0 is undefined": [undefined],
  };
  for (const [words, answer] of Object.entries(answers)) {
    const { store, errors } = storeWith({ bad: () => answer as string[], byName });
    store.add(pod("a"));
    expect(errors.map(({ message }) => message)).toEqual([
      `v1, Kind=Pod web/a is omitted from the index "bad": an index function must return an array of strings, ${words}`,
    ]);
    expect([store.keys(), store.indexKeys("byName", "a"), store.indexValues("bad")]).toEqual([
      ["web/a"],
      ["web/a"],
      [],
    ]);
  }
  await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection fails the test
});

it("loses no deletion and leaves nothing behind if an index function returns other values later", () => {
  let isBroken = false;
  const fickle: IndexFunc<Pod> = ({ spec }) => {
    if (isBroken) throw new Error("broke");
    return [spec.node ?? ""];
  };
  const { store, errors } = storeWith({ fickle });
  for (const name of ["a", "b", "c"]) store.add(pod(name, "n1"));
  isBroken = true;
  const { removed } = store.exchange([pod("c", "n2")], "9");
  expect(removed.map(([key]) => key)).toEqual(["web/a", "web/b"]);
  expect([store.keys(), store.indexValues("fickle"), store.resourceVersion]).toEqual([["web/c"], [], "9"]);
  expect(errors.map(({ key }) => key)).toEqual(["web/c"]);
  isBroken = false;
  store.update(pod("c", "n2"));
  expect(store.indexKeys("fickle", "n2")).toEqual(["web/c"]);
});

it("fills an index that is added late, without objects its function fails for, and refuses a non-function", () => {
  const { store, errors } = storeWith({ byName });
  store.replace([pod("a", "n1"), pod("b"), pod("c", "n1")], "3");
  store.addIndexers({ byNode });
  expect(store.indexKeys("byNode", "n1")).toEqual(["web/a", "web/c"]);
  expect(errors.map(({ key }) => key)).toEqual(["web/b"]);
  store.update(pod("b", "n1"));
  expect(store.indexKeys("byNode", "n1")).toEqual(["web/a", "web/c", "web/b"]);
  expect(() => store.addIndexers({ wrong: undefined as unknown as IndexFunc<Pod> })).toThrow(
    "the index wrong requires a function, got undefined",
  );
  expect(store.indexNames).toEqual(["byName", "byNode"]);
});

it("throws to the caller after the change if there is no handler for index errors", () => {
  const store = new Indexer<Pod>({ indexers: { byNode } });
  expect(() => store.add(pod("a", undefined, "1"))).toThrow(
    'object web/a is omitted from the index "byNode": no node yet',
  );
  expect(() => store.replace([pod("b", undefined, "2"), pod("c", "n1")], "3")).toThrow(IndexError);
  expect([store.keys(), store.indexKeys("byNode", "n1"), store.resourceVersion]).toEqual([
    ["web/b", "web/c"],
    ["web/c"],
    "3",
  ]);
  try {
    store.transaction([
      { type: "add", object: pod("d", "n1") },
      { type: "add", object: pod("e") },
    ]);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(TransactionError);
    expect((error as TransactionError).successfulIndices).toEqual([0, 1]);
  }
});

it("moves an object between very many values quickly", () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `v${index}`);
  const { store } = storeWith({ many: ({ spec }) => (spec.node ? [...values, "more"] : values) });
  store.add(pod("a"));
  store.update(pod("a", "n1"));
  expect(store.indexValues("many")).toHaveLength(100_001);
  store.update(pod("a"));
  expect(store.indexKeys("many", "more")).toEqual([]);
  store.delete(pod("a"));
  expect(store.indexValues("many")).toEqual([]);
});

it("has the version of its content, which a transform may have changed or dropped", () => {
  const versioned = (resourceVersion: string | undefined) => (object: Pod) =>
    ({ ...object, metadata: { ...object.metadata, resourceVersion } }) as Pod;
  const changing = new Indexer<Pod>({ transform: versioned("50") });
  changing.add(pod("a", "n1", "7"));
  expect([changing.resourceVersion, changing.get("web/a")?.metadata.resourceVersion]).toEqual(["50", "50"]);
  const dropping = new Indexer<Pod>({ transform: versioned(undefined) });
  dropping.add(pod("a", "n1", "7"));
  expect(dropping.resourceVersion).toBe("7");
});

const bare = (name: string, uid = name): KubeObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name, uid } });

function applied(options: IndexerOptions<KubeObject>, ...deltas: Delta<KubeObject>[]): string[] {
  const reported: string[] = [];
  const nameOf = (object: KubeObject): string => `${object.metadata.name} ${object.metadata.uid}`;
  const store = new Indexer<KubeObject>(options);
  const sink = {
    onAdd: (object: KubeObject) => void reported.push(`+ ${nameOf(object)}`),
    onUpdate: (old: KubeObject, object: KubeObject) => void reported.push(`~ ${nameOf(old)} > ${nameOf(object)}`),
    onDelete: (object: KubeObject | DeletedFinalStateUnknown<KubeObject>) =>
      void reported.push(
        object instanceof DeletedFinalStateUnknown
          ? `- ${object.key}: ${nameOf(object.object)}`
          : `- ${nameOf(object)}`,
      ),
    onSync: () => {},
  };
  for (const delta of deltas) processDelta(delta, store, sink, false);
  return reported;
}

const replacedAll = (...objects: KubeObject[]): Delta<KubeObject> => ({
  type: "replacedAll",
  objects,
  resourceVersion: "1",
  isNewHistory: false,
});

it("identifies objects by the store's own keys when everything is replaced", () => {
  const keyOf = (object: unknown): string =>
    object instanceof DeletedFinalStateUnknown ? object.key : ((object as KubeObject).metadata.uid ?? "");
  expect(applied({ keyOf }, replacedAll(bare("a", "1"), bare("b", "2")), replacedAll(bare("renamed", "1")))).toEqual([
    "+ a 1",
    "+ b 2",
    "- 2: b 2",
    "~ a 1 > renamed 1",
  ]);
});

it("reports an object once if a list contains it twice", () => {
  expect(applied({}, replacedAll(bare("a", "1"), bare("b"), bare("a", "2")))).toEqual(["+ a 2", "+ b b"]);
});

it("reports the stored objects if the store transforms", () => {
  const transform = (object: KubeObject) => bare(object.metadata.name, "transformed");
  expect(applied({ transform }, replacedAll(bare("a", "1")))).toEqual(["+ a transformed"]);
});

it("never loses a deletion if a transform fails for the object's last state", async () => {
  const transform = (object: KubeObject) => {
    if (object.metadata.uid === "broken") throw new Error("cannot read this");
    return object;
  };
  const fifo = new DeltaFIFO<KubeObject>({ transform });
  fifo.add(bare("a", "good"));
  expect(() => fifo.delete(bare("a", "broken"))).toThrow("the transform failed on a: cannot read this");
  const deltas: Delta<KubeObject>[] = [];
  while (fifo.length > 0) await fifo.pop((delta) => deltas.push(delta));
  expect(applied({}, ...deltas)).toEqual(["+ a good", "- a: a good"]);
});

it("names the object that a transform fails for, or returns a promise or nothing for", () => {
  const failing = (transform: (object: KubeObject) => unknown) => (): void =>
    new DeltaFIFO<KubeObject>({ transform: transform as (object: KubeObject) => KubeObject }).replace(
      [bare("a"), bare("b")],
      "1",
    );
  expect(failing(({ metadata }) => (metadata.name === "b" ? null : bare("a")))).toThrow(
    "the transform failed on b: couldn't",
  );
  expect(failing(async () => Promise.reject(new Error("later")))).toThrow(
    "the transform failed on a: it returned a promise; return the object instead",
  );
});

it("does not report the deletion of an object that was never reported", () => {
  const unknown = new DeletedFinalStateUnknown("b", bare("b"));
  const deleted = (object: KubeObject | DeletedFinalStateUnknown<KubeObject>): Delta<KubeObject> => ({
    type: "deleted",
    object,
  });
  expect(applied({}, deleted(bare("a")), deleted(unknown))).toEqual([]);
  expect(applied({}, replacedAll(bare("b")), deleted(bare("b")), deleted(bare("b")), deleted(unknown))).toEqual([
    "+ b b",
    "- b b",
  ]);
});
