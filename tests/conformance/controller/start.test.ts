import { untilAborted } from "@kubewright/clock";
import { funcSource, kindSource, type Source, type SourceContext, SourceNotSyncedError } from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { cachedPods, Pod } from "./cached-pods.ts";
import { runningController } from "./running-controller.ts";

/** Returns a source that syncs on request. */
function gatedSource(description: string) {
  const gate = Promise.withResolvers<void>();
  const contexts: SourceContext[] = [];
  const source: Source = {
    description,
    run: async (context, signal) => {
      contexts.push(context);
      await gate.promise;
      context.synced();
      await untilAborted(signal);
    },
  };
  return { source, contexts, open: () => gate.resolve(), fail: (error: Error) => gate.reject(error) };
}

describe("start, sources and cache sync", () => {
  it("CT-040 begins no reconcile before handlers have processed all existing objects", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `pod-${index}`);
    const cached = cachedPods(...names);
    let handled = 0;
    const handledAtCall: number[] = [];
    const source = kindSource(cached.cache, Pod, {
      handler: async ({ object }, enqueue) => {
        await clock.sleep(object.metadata.name === "pod-0" ? 2_000 : 0);
        handled++;
        enqueue(object.metadata.name);
      },
    });
    const { clock, calls, end } = runningController({
      sources: [source],
      reconcile: () => void handledAtCall.push(handled),
    });
    for (let turn = 0; turn < 19; turn++) await clock.advance(100);
    expect([handled, calls.length]).toEqual([19, 0]);
    for (let turn = 0; turn < 10; turn++) await clock.advance(100);
    expect(calls.toSorted()).toEqual(names.toSorted());
    expect(new Set(handledAtCall)).toEqual(new Set([20]));
    await end();
    await cached.end();
  });

  it("CT-041 fails if a source does not sync, with the controller's name", async () => {
    const source: Source = {
      description: "kind source: Pod",
      run: () => Promise.reject(new SourceNotSyncedError("cache did not sync: Pod")),
    };
    const { ended, outcome, calls } = runningController({ name: "site", sources: [source] });
    await ended;
    expect(outcome()).toMatchObject({
      message: "failed to wait for site caches to sync kind source: Pod: cache did not sync: Pod",
      cause: expect.any(SourceNotSyncedError),
    });
    expect(calls).toEqual([]);
  });

  it("CT-042 fails if an informer does not sync in time, and names its kind", async () => {
    const { source } = gatedSource("kind source: Pod");
    const never: Source = { ...source, run: (_context, signal) => untilAborted(signal) };
    const { clock, ended, outcome } = runningController({ sources: [never], cacheSyncTimeoutMs: 1_000 });
    await clock.advance(999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await ended;
    expect(String(outcome())).toContain("caches to sync kind source: Pod: timed out waiting for cache to be synced");
  });

  it("CT-043 fails with the original error of a source that cannot start", async () => {
    const error = new Error("no such thing");
    const { ended, outcome } = runningController({ sources: [funcSource(() => Promise.reject(error))] });
    await ended;
    expect(outcome()).toBe(error);
  });

  it("CT-044 starts once, and not again after its end", async () => {
    const { controller, stop, end, outcome } = runningController();
    await expect(controller.run(stop.signal)).rejects.toThrow("started more than once");
    await end();
    expect(outcome()).toBe("stopped");
    await expect(controller.run(new AbortController().signal)).rejects.toThrow("started more than once");
  });

  it("CT-045 passes its own queue to its sources", async () => {
    const { source, contexts } = gatedSource("a");
    const { clock, end, queue } = runningController({ sources: [source] });
    await clock.advance(0);
    expect(contexts).toHaveLength(1);
    expect(contexts[0]?.queue).toBe(queue());
    const ended = end();
    await clock.advance(0);
    expect(queue().size).toBe(0);
    await Promise.race([ended, clock.advance(1_000)]);
  });

  it("CT-046 starts a source once if two callers request it, and both wait for it", async () => {
    const { source, contexts, open } = gatedSource("a");
    const { clock, controller, end, stop, queue, calls } = runningController({ sources: [source], enableWarmup: true });
    const warmup = controller.warmup(stop.signal);
    await clock.advance(1_000);
    queue().add("web/a");
    await clock.advance(1_000);
    expect([contexts.length, calls]).toEqual([1, []]);
    open();
    await clock.advance(0);
    expect([contexts.length, calls]).toEqual([1, ["web/a"]]);
    await end();
    await warmup;
  });

  it("CT-047 starts all sources concurrently and fails with the first error", async () => {
    const [a, b, c] = [gatedSource("a"), gatedSource("b"), gatedSource("c")];
    const { clock, ended, outcome } = runningController({ sources: [a.source, b.source, c.source] });
    await clock.advance(0);
    expect([a, b, c].map(({ contexts }) => contexts.length)).toEqual([1, 1, 1]);
    const first = new Error("first");
    b.fail(first);
    await clock.advance(0);
    c.fail(new Error("second"));
    a.open();
    await ended;
    expect(outcome()).toBe(first);
  });

  it("CT-048 waits for the running reconcile when it is stopped", async () => {
    const order: string[] = [];
    const { clock, add, stop, ended, queue } = runningController({
      reconcile: async () => {
        await clock.sleep(1_000);
        order.push("reconcile");
      },
    });
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    stop.abort();
    void ended.then(() => order.push("controller"));
    await clock.advance(999);
    expect(order).toEqual([]);
    await clock.advance(1);
    expect(order).toEqual(["reconcile", "controller"]);
    queue().add("web/b");
    await clock.advance(10_000);
    expect([queue().size, clock.waiting]).toEqual([0, 0]);
  });

  it("CT-049 starts a watch at once that is added while it runs", async () => {
    const cached = cachedPods("late");
    const { clock, calls, controller, end } = runningController();
    await clock.advance(0);
    const handler = (
      { object }: { readonly object: { readonly metadata: { readonly name: string } } },
      enqueue: (name: string) => void,
    ) => enqueue(object.metadata.name);
    await controller.watch(kindSource(cached.cache, Pod, { handler }));
    await clock.advance(0);
    expect(calls).toEqual(["late"]);
    await end();
    await cached.end();
  });
});
