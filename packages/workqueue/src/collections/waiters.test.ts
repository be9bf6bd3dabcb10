import { expect, it } from "vitest";
import { Waiters } from "./waiters.ts";

it("drops the places of consumers that gave up, and keeps the others in order", async () => {
  const waiters = new Waiters<string>();
  const first = waiters.wait(undefined);
  for (let i = 0; i < 1_000; i++) {
    const stop = new AbortController();
    const abandoned = waiters.wait(stop.signal);
    stop.abort();
    expect(await abandoned).toBeUndefined();
  }
  const second = waiters.wait(undefined);
  expect(waiters.length).toBe(2);
  expect(waiters.places).toBeLessThan(100);
  waiters.give("a");
  waiters.give("b");
  expect([await first, await second, waiters.length]).toEqual(["a", "b", 0]);
});

it("keeps waiting consumers when many before and after them give up at once", async () => {
  const waiters = new Waiters<number>();
  const stop = new AbortController();
  const kept: Promise<number | undefined>[] = [];
  for (let i = 0; i < 500; i++) {
    void waiters.wait(stop.signal);
    if (i % 100 === 0) kept.push(waiters.wait(undefined));
  }
  stop.abort();
  expect([waiters.length, waiters.places < 100]).toEqual([5, true]);
  for (let i = 0; i < 5; i++) waiters.give(i);
  expect(await Promise.all(kept)).toEqual([0, 1, 2, 3, 4]);
});
