import { DeletedFinalStateUnknown, type KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { type Delta, DeltaFIFO, processDelta } from "./delta-fifo.ts";
import { Indexer, type IndexerOptions } from "./indexer.ts";

const object = (name: string) => ({ metadata: { name } });

it("has synced only after the initial state has been processed, even if processing throws", async () => {
  const fifo = new DeltaFIFO<object>();
  fifo.replace([object("a")], "1");
  const broken = fifo.pop(() => {
    expect(fifo.hasSynced).toBe(false);
    throw new Error("processing broke");
  });
  await expect(broken).rejects.toThrow("processing broke");
  expect(fifo.hasSynced).toBe(true);
});

it("never mixes the initial state with later entries", async () => {
  const fifo = new DeltaFIFO<object>();
  fifo.replace([object("a")], "1");
  fifo.add(object("b"));
  const batches: (readonly [number, boolean])[] = [];
  while (fifo.length > 0)
    await fifo.popBatch((deltas, isInInitialList) => batches.push([deltas.length, isInInitialList]));
  expect(batches).toEqual([
    [1, true],
    [1, false],
  ]);
});

it.each<[string, (object: KubeObject) => unknown, string]>([
  ["its name", ({ metadata: { name: _, ...metadata } }) => ({ metadata }), 'it dropped metadata.name ("a")'],
  ["its namespace", ({ metadata: { name } }) => ({ metadata: { name } }), 'it dropped metadata.namespace ("web")'],
  ["its metadata", () => ({ spec: {} }), "object has no meta"],
  ["everything", () => undefined, "object has no meta"],
])("names the object for which a transform lost %s", (_, transform, why) => {
  const inPlace = (object: KubeObject): KubeObject => {
    const left = transform({ ...object });
    Reflect.deleteProperty(object, "metadata");
    return left as KubeObject;
  };
  const fifo = new DeltaFIFO<KubeObject>({ transform: inPlace });
  const a = (): KubeObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "web" } });
  for (const put of [() => fifo.add(a()), () => fifo.replace([a()], "1")])
    expect(put).toThrow(
      `the transform failed on web/a: ${why === "object has no meta" ? "couldn't create key for object: " : ""}${why}`,
    );
  expect(fifo.length).toBe(0);
});

it("files an object under the name that a transform gives it", async () => {
  const transform = ({ metadata }: { metadata: { name: string } }) => ({
    metadata: { name: metadata.name.toUpperCase() },
  });
  const fifo = new DeltaFIFO({ transform });
  fifo.add(object("a"));
  expect(fifo.length).toBe(1);
});

it("accepts nothing after it is closed", async () => {
  const fifo = new DeltaFIFO<object>();
  fifo.add(object("a"));
  fifo.close();
  fifo.add(object("b"));
  expect(await fifo.pop(() => {})).toBe(false);
  expect(fifo.length).toBe(1);
});

const pod = (name: string, uid = name): KubeObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name, uid } });

function applied(options: IndexerOptions<KubeObject>, ...deltas: Delta<KubeObject>[]): string[] {
  const told: string[] = [];
  const nameOf = (object: KubeObject): string => `${object.metadata.name} ${object.metadata.uid}`;
  const store = new Indexer<KubeObject>(options);
  const sink = {
    onAdd: (object: KubeObject) => void told.push(`+ ${nameOf(object)}`),
    onUpdate: (old: KubeObject, object: KubeObject) => void told.push(`~ ${nameOf(old)} > ${nameOf(object)}`),
    onDelete: (object: KubeObject | DeletedFinalStateUnknown<KubeObject>) =>
      void told.push(
        object instanceof DeletedFinalStateUnknown
          ? `- ${object.key}: ${nameOf(object.object)}`
          : `- ${nameOf(object)}`,
      ),
    onSync: () => {},
  };
  for (const delta of deltas) processDelta(delta, store, sink, false);
  return told;
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
  expect(applied({ keyOf }, replacedAll(pod("a", "1"), pod("b", "2")), replacedAll(pod("renamed", "1")))).toEqual([
    "+ a 1",
    "+ b 2",
    "- 2: b 2",
    "~ a 1 > renamed 1",
  ]);
});

it("reports an object once if a list contains it twice", () => {
  expect(applied({}, replacedAll(pod("a", "1"), pod("b"), pod("a", "2")))).toEqual(["+ a 2", "+ b b"]);
});

it("reports the stored objects if the store transforms", () => {
  const transform = (object: KubeObject) => pod(object.metadata.name, "transformed");
  expect(applied({ transform }, replacedAll(pod("a", "1")))).toEqual(["+ a transformed"]);
});

it("never loses a deletion if a transform fails for the object's last state", async () => {
  const transform = (object: KubeObject) => {
    if (object.metadata.uid === "broken") throw new Error("cannot read this");
    return object;
  };
  const fifo = new DeltaFIFO<KubeObject>({ transform });
  fifo.add(pod("a", "good"));
  expect(() => fifo.delete(pod("a", "broken"))).toThrow("the transform failed on a: cannot read this");
  const deltas: Delta<KubeObject>[] = [];
  while (fifo.length > 0) await fifo.pop((delta) => deltas.push(delta));
  expect(applied({}, ...deltas)).toEqual(["+ a good", "- a: a good"]);
});

it("names the object that a transform fails for, or returns a promise or nothing for", () => {
  const failing = (transform: (object: KubeObject) => unknown) => (): void =>
    new DeltaFIFO<KubeObject>({ transform: transform as (object: KubeObject) => KubeObject }).replace(
      [pod("a"), pod("b")],
      "1",
    );
  expect(failing(({ metadata }) => (metadata.name === "b" ? null : pod("a")))).toThrow(
    "the transform failed on b: couldn't",
  );
  expect(failing(async () => Promise.reject(new Error("later")))).toThrow(
    "the transform failed on a: it returned a promise; it must return the object",
  );
});

it("does not report the deletion of an object that was never reported", () => {
  const unknown = new DeletedFinalStateUnknown("b", pod("b"));
  const deleted = (object: KubeObject | DeletedFinalStateUnknown<KubeObject>): Delta<KubeObject> => ({
    type: "deleted",
    object,
  });
  expect(applied({}, deleted(pod("a")), deleted(unknown))).toEqual([]);
  expect(applied({}, replacedAll(pod("b")), deleted(pod("b")), deleted(pod("b")), deleted(unknown))).toEqual([
    "+ b b",
    "- b b",
  ]);
});
