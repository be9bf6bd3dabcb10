import type { KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Indexer } from "./indexer.ts";
import { MutationCache, type MutationCacheOptions } from "./mutation-cache.ts";

const pod = (uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "web", uid, resourceVersion },
});

function cacheOf(options: MutationCacheOptions<KubeObject> = {}) {
  const store = new Indexer<KubeObject>();
  const clock = new FakeClock();
  return { store, clock, cache: new MutationCache(store, { includeAdds: true, clock, ...options }) };
}

it("never shows a write to a deleted object, however new its version", () => {
  const { cache, store } = cacheOf();
  cache.deleted(pod("first", "5")); // the deletion was missed: this is the last known state
  cache.mutation(pod("first", "8"));
  expect(cache.get("web/a")).toBeUndefined();
  cache.mutation(pod("second", "9"));
  expect(cache.get("web/a")).toEqual(pod("second", "9"));
  store.add(pod("second", "9"));
  cache.observed(pod("second", "9"));
  store.delete(pod("second", "9"));
  cache.mutation(pod("first", "10"));
  expect(cache.get("web/a")).toBeUndefined();
});

it("shows a recreated object when the deletion of the previous one is reported late", () => {
  for (const includeAdds of [true, false]) {
    const { cache, store } = cacheOf({ includeAdds });
    store.add(pod("first", "2"));
    cache.mutation(pod("second", "9"));
    expect(cache.get("web/a")).toEqual(pod("second", "9"));
    store.delete(pod("first", "7"));
    cache.deleted(pod("first", "7"));
    expect(cache.get("web/a")).toEqual(includeAdds ? pod("second", "9") : undefined);
    store.add(pod("second", "8"));
    expect(cache.get("web/a")).toEqual(pod("second", "9"));
    cache.mutation(pod("first", "10"));
    expect(cache.get("web/a")).toEqual(pod("second", "9"));
    store.delete(pod("second", "11"));
    cache.deleted(pod("second", "11"));
    expect(cache.get("web/a")).toBeUndefined();
  }
});

it("forgets a write that is older than the deletion of another object of that name", () => {
  const { cache } = cacheOf();
  cache.mutation(pod("first", "5"));
  cache.deleted(pod("second", "9"));
  expect(cache.get("web/a")).toBeUndefined();
});

it("shows writes to an object that is back after its deletion was reported", () => {
  const { cache } = cacheOf();
  cache.deleted(pod("first", "5"));
  cache.observed(pod("first", "3")); // the server was restored
  cache.mutation(pod("first", "4"));
  expect(cache.get("web/a")).toEqual(pod("first", "4"));
});

it("remembers a write for a minute, for its time to live, or without end", async () => {
  for (const [ttlMs, expected] of [
    [undefined, [true, false]],
    [120_000, [true, true]],
    [Number.POSITIVE_INFINITY, [true, true]],
  ] as const) {
    const { cache, clock } = cacheOf({ ttlMs });
    cache.mutation(pod("first", "8"));
    const isShown = async (ms: number): Promise<boolean> => {
      await clock.advance(ms);
      return cache.get("web/a") !== undefined;
    };
    expect([await isShown(60_000), await isShown(1)], String(ttlMs)).toEqual(expected);
  }
  for (const ttlMs of [0, -1])
    expect(() => cacheOf({ ttlMs })).toThrow(
      new RangeError(`ttlMs must be positive, got ${ttlMs}; use Infinity to keep objects forever`),
    );
});
