import { parallelizeUntil } from "@kubewright/workqueue";
import { expect, it } from "vitest";

it.each([
  { pieces: 1_000, chunkSize: 1 },
  { pieces: 1_000, chunkSize: 10 },
  { pieces: 1_000, chunkSize: 100 },
  { pieces: 999, chunkSize: 13 },
])(
  "WQ-020 processes each of $pieces pieces once with 10 workers and chunks of $chunkSize",
  async ({ pieces, chunkSize }) => {
    const done = new Array<number>(pieces).fill(0);
    let running = 0;
    let mostRunning = 0;
    await parallelizeUntil({ workers: 10, pieces, chunkSize }, async (piece) => {
      mostRunning = Math.max(mostRunning, ++running);
      await Promise.resolve();
      running--;
      done[piece] = (done[piece] ?? 0) + 1;
    });
    expect(done).toEqual(new Array<number>(pieces).fill(1));
    expect(mostRunning).toBe(10);
  },
);
