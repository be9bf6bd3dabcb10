import { expect, it } from "vitest";
import { DeltaFIFO } from "./delta-fifo.ts";

const object = (name: string) => ({ metadata: { name } });

it("has synced only after the first state has been processed, also when processing throws", async () => {
  const fifo = new DeltaFIFO<object>();
  fifo.replace([object("a")], "1");
  const broken = fifo.pop(() => {
    expect(fifo.hasSynced).toBe(false);
    throw new Error("processing broke");
  });
  await expect(broken).rejects.toThrow("processing broke");
  expect(fifo.hasSynced).toBe(true);
});

it("never mixes the first state with what came after it", async () => {
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

it("takes nothing more once it is closed", async () => {
  const fifo = new DeltaFIFO<object>();
  fifo.add(object("a"));
  fifo.close();
  fifo.add(object("b"));
  expect(await fifo.pop(() => {})).toBe(false);
  expect(fifo.length).toBe(1);
});
