import { expect, it } from "vitest";
import { parallelizeUntil } from "./parallelize-until.ts";

it("starts nothing after a failure, and throws it once the rest has ended", async () => {
  const started: number[] = [];
  const work = parallelizeUntil({ workers: 2, pieces: 100 }, async (piece) => {
    started.push(piece);
    await Promise.resolve();
    if (piece === 3) throw new Error("piece 3 broke");
  });
  await expect(work).rejects.toThrow("piece 3 broke");
  expect(started.length).toBeLessThan(10);
});

it("starts nothing once the signal has aborted", async () => {
  const started: number[] = [];
  await parallelizeUntil({ workers: 2, pieces: 10, signal: AbortSignal.abort() }, (piece) => void started.push(piece));
  expect(started).toEqual([]);
});
