import { unstructured } from "@kubewright/apimachinery";
import { InformerFactory, type ListWatchClient, NotSyncedError, SharedInformer, waitFor } from "@kubewright/cache";
import { FakeListWatch } from "@kubewright/cache/testing";
import { KeyedSyncTracker, Lazy, SyncTracker } from "@kubewright/cache/tools";
import { kubeList } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { type Pod, pod, settle } from "./pods.ts";
import { recordingLogger } from "./recording-logger.ts";

describe("sync tracking and waiting", () => {
  it("INF-121 has synced when the source has synced and all started work is finished, in any order", () => {
    const sourceFirst = new SyncTracker();
    sourceFirst.start();
    sourceFirst.sourceSynced();
    expect(sourceFirst.hasSynced).toBe(false);
    sourceFirst.finished();
    expect(sourceFirst.hasSynced).toBe(true);

    const itemFirst = new SyncTracker();
    itemFirst.start();
    itemFirst.finished();
    expect(itemFirst.hasSynced).toBe(false);
    itemFirst.sourceSynced();
    expect(itemFirst.hasSynced).toBe(true);

    const keyed = new KeyedSyncTracker<string>();
    keyed.start("a");
    keyed.sourceSynced();
    expect(keyed.hasSynced).toBe(false);
    keyed.finished("a");
    expect(keyed.hasSynced).toBe(true);
    const empty = new KeyedSyncTracker<string>();
    empty.sourceSynced();
    expect(empty.hasSynced).toBe(true);
  });

  it("INF-122 needs as many finishes as starts, and throws at one too many", () => {
    const tracker = new SyncTracker();
    for (let count = 0; count < 100; count++) tracker.start();
    tracker.sourceSynced();
    for (let count = 0; count < 99; count++) tracker.finished();
    expect(tracker.hasSynced).toBe(false);
    tracker.finished();
    expect(tracker.hasSynced).toBe(true);
    expect(() => tracker.finished()).toThrow("more objects were finished than started");
    expect(tracker.hasSynced).toBe(true);
  });

  it("INF-123 accepts starts and finishes of keys in any order", async () => {
    const tracker = new KeyedSyncTracker<number>();
    const keys = Array.from({ length: 50 }, (_, key) => key);
    for (const key of keys) tracker.start(key);
    tracker.sourceSynced();
    await Promise.all(
      keys.toReversed().map(async (key) => {
        for (let turn = 0; turn < (key * 7) % 5; turn++) await Promise.resolve();
        expect(tracker.hasSynced).toBe(false);
        tracker.finished(key);
      }),
    );
    expect(tracker.hasSynced).toBe(true);
  });

  it("INF-124 computes a lazy value only when it is stale, once for all waiting callers, and never returns an older one", async () => {
    let state = 1;
    let computations = 0;
    const lazy = new Lazy(async () => {
      computations++;
      const value = state;
      await settle(1);
      return value;
    });
    expect(await Promise.all([lazy.get(), lazy.get(), lazy.get()])).toEqual([1, 1, 1]);
    expect(await lazy.get()).toBe(1);
    expect(computations).toBe(1);
    const before = lazy.get();
    state = 2;
    lazy.markStale();
    expect([await before, await lazy.get()]).toEqual([1, 2]);
    expect(computations).toBe(2);
  });

  it("INF-125 retries after a failed computation", async () => {
    let tries = 0;
    const lazy = new Lazy(() => {
      if (tries++ === 0) throw new Error("not yet");
      return "value";
    });
    await expect(lazy.get()).rejects.toThrow("not yet");
    expect(await lazy.get()).toBe("value");
  });

  it("INF-126 waits for several, and logs which are done and which are missing", async () => {
    const done = (name: string) => ({ name, synced: async () => true });
    const never = (name: string) => ({
      name,
      synced: (signal?: AbortSignal) =>
        new Promise<boolean>((resolve) => signal?.addEventListener("abort", () => resolve(false))),
    });
    const all = recordingLogger();
    expect(await waitFor([], { what: "nothing", logger: all.logger })).toBe(true);
    expect(await waitFor([done("b"), done("a")], { what: "caches", logger: all.logger })).toBe(true);
    expect(all.lines.slice(1).map(({ msg, instance }) => [msg, instance])).toEqual([
      ["waiting", undefined],
      ["done waiting", "b"],
      ["done waiting", "a"],
    ]);
    const some = recordingLogger();
    const stop = new AbortController();
    const waiting = waitFor([never("z"), done("a"), never("m")], {
      what: "caches",
      signal: stop.signal,
      logger: some.logger,
    });
    await settle();
    stop.abort(new Error("out of time"));
    expect(await waiting).toBe(false);
    expect(some.lines.at(-1)).toMatchObject({ msg: "timed out waiting", cause: "out of time", instances: ["m", "z"] });
    const silent = recordingLogger();
    expect(await waitFor([done("a"), done("b")], { logger: silent.logger })).toBe(true);
    expect(silent.lines).toEqual([]);

    const informer = new SharedInformer<Pod>(new FakeListWatch<Pod>(), { clock: new FakeClock(), name: "pods" });
    const end = new AbortController();
    const running = informer.run(end.signal);
    expect(await waitFor([informer, informer.addHandler({})])).toBe(true);
    end.abort();
    await running;
  });

  it("INF-127 names the kinds of a factory that have not synced when waiting is aborted", async () => {
    const fakes = new Map([
      ["Pod", new FakeListWatch<Pod>()],
      ["Service", new FakeListWatch<Pod>()],
      ["ConfigMap", new FakeListWatch<Pod>()],
    ]);
    for (const name of ["Pod", "ConfigMap"])
      Object.assign(fakes.get(name) ?? {}, {
        list: ({ signal }: { signal?: AbortSignal }) =>
          new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      });
    fakes.get("Service")?.add(pod("a"));
    const client = clientOf(fakes);
    const factory = new InformerFactory(client, { clock: new FakeClock(), useWatchList: false });
    for (const kind of fakes.keys()) factory.for(unstructured({ apiVersion: "v1", kind }));
    const stop = new AbortController();
    await factory.start(stop.signal);
    await settle();
    const cause = new Error("out of time");
    const error = await factory.synced(AbortSignal.abort(cause)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotSyncedError);
    expect(error).toMatchObject({
      message: "failed to sync all caches: v1, Kind=ConfigMap, v1, Kind=Pod: out of time",
      cause,
    });
    stop.abort();
    await factory.stopped();

    const fine = new InformerFactory(clientOf(new Map([["Pod", new FakeListWatch<Pod>()]])), { useWatchList: false });
    fine.for(unstructured({ apiVersion: "v1", kind: "Pod" }));
    const end = new AbortController();
    await fine.start(end.signal);
    await expect(fine.synced()).resolves.toBeUndefined();
    end.abort();
    await fine.stopped();
  });
});

/** Returns a client that reads each kind from a fake. */
function clientOf(fakes: ReadonlyMap<string, FakeListWatch<Pod>>): ListWatchClient {
  const client = {
    async list(kind: { kind: string }, options: object) {
      const page = await fakes.get(kind.kind)?.list(options);
      return kubeList([...(page?.items ?? [])], page?.metadata ?? {});
    },
    async *watchRaw(kind: { kind: string }, options: object) {
      for await (const { type, object } of fakes.get(kind.kind)?.watch(options) ?? [])
        yield { type, object: Buffer.from(JSON.stringify(object)) };
    },
  };
  return client as Pick<ListWatchClient, "list" | "watchRaw">;
}
