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

it.each([0, -3, 0.5, 1.5, Number.POSITIVE_INFINITY])("processes each piece once in chunks of %d", async (chunkSize) => {
  const done: number[] = [];
  // Checks the signal more often than there are pieces, because a loop without progress would never end.
  let looks = 0;
  const { signal } = new AbortController();
  Object.defineProperty(signal, "aborted", { get: () => ++looks > 20 });
  await parallelizeUntil({ workers: 2, pieces: 4, chunkSize, signal }, (piece) => void done.push(piece));
  expect(done.toSorted()).toEqual([0, 1, 2, 3]);
});

it("refuses a chunk size that is not a number", async () => {
  const work = parallelizeUntil({ workers: 2, pieces: 4, chunkSize: Number.NaN }, () => {});
  await expect(work).rejects.toThrow(new RangeError("chunkSize must be a number, got NaN; omit it for 1"));
});
