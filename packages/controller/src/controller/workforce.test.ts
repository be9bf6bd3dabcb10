import { expect, it } from "vitest";
import { Workforce } from "./workforce.ts";

/** Workers that take jobs from a list; the test ends each job. */
function start(most: number) {
  const takers: ((job: (() => Promise<void>) | undefined) => void)[] = [];
  const force: Workforce = new Workforce(most, async () => {
    for (;;) {
      const job = await new Promise<(() => Promise<void>) | undefined>((resolve) => takers.push(resolve));
      if (!job) return;
      force.busy();
      try {
        await job();
      } finally {
        force.free();
      }
    }
  });
  const settled: string[] = [];
  const running = force.run().then(
    () => settled.push("ended"),
    (error: Error) => settled.push(error.message),
  );
  const give = async (job: () => Promise<void>): Promise<void> => {
    takers.shift()?.(job);
    await Promise.resolve().then(() => {});
  };
  const stop = async (): Promise<void> => {
    for (const take of takers.splice(0)) take(undefined);
    await running;
  };
  return { takers, give, stop, settled, running };
}

it("has one waiting worker while others are busy, up to the maximum", async () => {
  const { takers, give, stop, settled } = start(3);
  expect(takers).toHaveLength(1);
  const ends: (() => void)[] = [];
  const job = () => new Promise<void>((resolve) => ends.push(resolve));
  await give(job);
  expect([ends.length, takers.length]).toEqual([1, 1]);
  await give(job);
  await give(job);
  expect([ends.length, takers.length]).toEqual([3, 0]);
  for (const end of ends) end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(takers).toHaveLength(3);
  expect(settled).toEqual([]);
  await stop();
  expect(settled).toEqual(["ended"]);
});

it("needs no second worker for sequential work", async () => {
  const { takers, give, stop } = start(100);
  for (let job = 0; job < 10; job++) {
    await give(async () => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(takers.length).toBeLessThanOrEqual(2);
  await stop();
});

it("fails if a worker fails", async () => {
  const { give, running, settled } = start(2);
  await give(() => Promise.reject(new Error("broken")));
  await running;
  expect(settled).toEqual(["broken"]);
});
