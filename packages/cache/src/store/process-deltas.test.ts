import { DeletedFinalStateUnknown, type KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { type Delta, DeltaFIFO } from "./delta-fifo.ts";
import { Indexer, type IndexerOptions } from "./indexer.ts";
import { processDelta } from "./process-deltas.ts";

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
