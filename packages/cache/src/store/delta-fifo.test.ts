import type { KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { DeltaFIFO } from "./delta-fifo.ts";

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
