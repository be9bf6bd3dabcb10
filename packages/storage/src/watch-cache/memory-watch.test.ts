import { nextTurn } from "@kubewright/clock";
import { expect, it } from "vitest";
import type { StorageChange } from "../contract/storage.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { WakeBatch } from "./wake-batch.ts";

const change = (resourceVersion: number): StorageChange => ({
  key: `/core/configmaps/default/c${resourceVersion}`,
  resourceVersion,
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c${resourceVersion}` } },
  deleted: false,
});

function watchOf(maxBuffered: number): MemoryWatch {
  return new MemoryWatch({
    predicate: { isEmpty: true, matches: () => true },
    after: 0,
    allowBookmarks: false,
    maxBuffered,
    signal: new AbortController().signal,
    currentResourceVersion: () => 0,
    wakes: new WakeBatch(),
    onEnd: () => {},
  });
}

it("a waiting reader is not slow, however much arrives before its turn", async () => {
  const watch = watchOf(2);
  const batches = watch.batches();
  const first = batches.next();
  for (let version = 1; version <= 5; version++) watch.offer(change(version));
  expect((await first).value).toHaveLength(5);
  expect(watch.isOver).toBe(false);
  watch.end();
});

it("a slow reader is cut off when the buffer overflows", async () => {
  const watch = watchOf(2);
  const batches = watch.batches();
  const first = batches.next();
  watch.offer(change(1));
  await first;
  for (let version = 2; version <= 4; version++) {
    await nextTurn();
    watch.offer(change(version));
  }
  expect(watch.isOver).toBe(true);
});

it("a reader that never came is cut off on overflow, and gets the buffered events", async () => {
  const watch = watchOf(2);
  watch.offer(change(1));
  watch.offer(change(2));
  expect(watch.isOver).toBe(false);
  watch.offer(change(3));
  expect(watch.isOver).toBe(true);
  const seen: number[] = [];
  for await (const event of watch) seen.push(event.resourceVersion);
  expect(seen).toEqual([1, 2]);
});
