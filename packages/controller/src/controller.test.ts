import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { Controller } from "./controller.ts";
import { TerminalError } from "./errors.ts";
import { funcSource, type Source } from "./source.ts";
import { fakeClient } from "./testing/fake-client.ts";
import { loggedLines } from "./testing/logged-lines.ts";
import { startController as start } from "./testing/start-controller.ts";

describe("Controller", () => {
  it("needs a name and a reconciler", () => {
    const reconcile = () => {};
    expect(() => new Controller({ name: "", client: fakeClient(), reconcile })).toThrow("must specify a name");
    const none = undefined as unknown;
    expect(() => new Controller({ name: "x", client: fakeClient(), reconcile: none as typeof reconcile })).toThrow(
      "must specify a reconciler",
    );
  });

  it("reconciles what its sources queue, and stops without an error", async () => {
    const { clock, stop, calls, run, add, outcome } = start();
    await clock.advance(0);
    add("ns/a");
    add("ns/b");
    await clock.advance(0);
    expect(calls).toEqual(["ns/a", "ns/b"]);
    stop.abort();
    await run;
    expect(outcome()).toBe("stopped");
  });

  it("publishes each reconcile that begins or ends, also one that fails", async () => {
    const seen: unknown[] = [];
    const listen = (message: unknown): void => void seen.push(message);
    subscribe("kubewright.controller.reconcile", listen);
    const { clock, stop, run, add } = start({
      reconcile: () => {
        seen.push("reconciles");
        throw new TerminalError("no");
      },
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    unsubscribe("kubewright.controller.reconcile", listen);
    add("ns/b");
    await clock.advance(0);
    stop.abort();
    await run;
    const about = { controller: "test", request: "ns/a" };
    expect(seen).toEqual([{ event: "begins", ...about }, "reconciles", { event: "ends", ...about }, "reconciles"]);
  });

  it.each<[string, boolean, (signal: AbortSignal) => unknown, string]>([
    ["of the stop that interrupted it", true, (signal) => signal.reason, "debug reconcile was interrupted"],
    ["of its own while it is stopped", true, () => new Error("no"), "error reconciler error"],
    ["named AbortError without a stop", false, () => new DOMException("no", "AbortError"), "error reconciler error"],
  ])("logs an error %s", async (_what, isStopped, thrown, line) => {
    const { log, lines } = loggedLines("debug");
    const { clock, stop, run, add } = start({
      logger: log,
      reconcile: async (_request, { signal }) => {
        if (isStopped) stop.abort();
        throw thrown(signal);
      },
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    stop.abort();
    await run;
    const logged = lines.filter(({ err }) => err).map(({ level, msg }) => `${level} ${msg}`);
    expect(logged).toEqual([line]);
  });

  it("does not report interruptions as failures when the program begins to stop", async () => {
    const { log, lines } = loggedLines("debug");
    const stopping = new AbortController();
    const clock = new FakeClock();
    const controller = new Controller({
      name: "test",
      client: fakeClient(),
      logger: log,
      clock,
      sources: [
        funcSource(({ queue }) => {
          for (const request of ["ns/a", "ns/b"]) queue.add(request);
        }),
      ],
      reconcile: (request) => {
        stopping.abort();
        throw request === "ns/a" ? new DOMException("the cache is stopping", "AbortError") : new Error("no");
      },
    });
    const stop = new AbortController();
    const run = controller.run(stop.signal, stopping.signal);
    await clock.advance(0);
    stop.abort();
    await run;
    const logged = lines.filter(({ err }) => err).map(({ level, msg }) => `${level} ${msg}`);
    expect(logged).toEqual(["debug reconcile was interrupted", "error reconciler error"]);
  });

  it.each(["run", "warmup"] as const)(
    "%s: sources that do not sync because the program begins to stop are not a failure, others are",
    async (how) => {
      for (const isEnding of [true, false]) {
        const stopping = new AbortController();
        const source: Source = {
          description: "a source",
          async run() {
            if (isEnding) stopping.abort();
            throw new Error("did not sync");
          },
        };
        const clock = new FakeClock();
        const client = fakeClient();
        const controller = new Controller({
          ...{ name: "test", client, logger: silentLogger, clock, enableWarmup: true },
          sources: [source],
          reconcile: () => expect.unreachable(),
        });
        const run = controller[how](new AbortController().signal, stopping.signal);
        if (isEnding) await run;
        else await expect(run).rejects.toThrow("did not sync");
      }
    },
  );

  it("retries after an error with growing delays, and starts them over after a success", async () => {
    let failures = 2;
    const { clock, stop, calls, run, add } = start({
      reconcile: () => {
        if (failures-- > 0) throw new Error("not yet");
      },
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(4);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
    await clock.advance(9);
    expect(calls).toHaveLength(2);
    await clock.advance(1);
    expect(calls).toHaveLength(3);
    failures = 1;
    add("ns/a");
    await clock.advance(5);
    expect(calls).toHaveLength(5);
    stop.abort();
    await run;
  });

  it("does not retry after a terminal error, wherever in the chain of causes it is", async () => {
    const { clock, stop, calls, run, add } = start({
      reconcile: () => {
        throw new Error("while reconciling", { cause: new TerminalError(new Error("bad spec")) });
      },
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(3_600_000);
    expect(calls).toHaveLength(1);
    stop.abort();
    await run;
  });

  it("requeues after exactly the requested time, regardless of the requeue flag", async () => {
    const { clock, stop, calls, run, add } = start({ reconcile: () => ({ requeueAfterMs: 60_000, requeue: true }) });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(59_999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
    stop.abort();
    await run;
  });

  it("reconciles the configured number of requests at a time, but never the same one twice", async () => {
    const gate = Promise.withResolvers<void>();
    let [active, most] = [0, 0];
    const { clock, stop, calls, run, add } = start({
      maxConcurrentReconciles: 2,
      reconcile: async () => {
        most = Math.max(most, ++active);
        await gate.promise;
        active--;
      },
    });
    await clock.advance(0);
    for (const request of ["ns/a", "ns/b", "ns/c"]) add(request);
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    expect(calls).toEqual(["ns/a", "ns/b"]);
    gate.resolve();
    await clock.advance(0);
    expect(calls).toEqual(["ns/a", "ns/b", "ns/c", "ns/a"]);
    expect(most).toBe(2);
    stop.abort();
    await run;
  });

  it("begins no reconcile before all sources have synced", async () => {
    const gate = Promise.withResolvers<void>();
    const early: Source = funcSource(({ queue }) => queue.add("ns/a"));
    const late: Source = {
      description: "late",
      run: async ({ synced }, signal) => {
        await gate.promise;
        synced();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    };
    const { clock, stop, calls, run } = start({ sources: [early, late] });
    await clock.advance(10_000);
    expect(calls).toEqual([]);
    gate.resolve();
    await clock.advance(0);
    expect(calls).toEqual(["ns/a"]);
    stop.abort();
    await run;
  });

  it("fails if a source does not sync in time, and reports which one", async () => {
    const never: Source = {
      description: "kind source: Pod",
      run: (_context, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    };
    const { clock, run, outcome } = start({ sources: [never], cacheSyncTimeoutMs: 1_000 });
    await clock.advance(1_000);
    await run;
    expect(String(outcome())).toContain(
      "failed to wait for test caches to sync kind source: Pod: timed out waiting for cache to be synced",
    );
  });

  it("ends with the last error of the watch that did not sync", async () => {
    const lastError = new Error('no matches for kind "Site" in version "shop.example.com/v1"');
    const never: Source = {
      description: "kind source: Site.shop.example.com",
      lastError,
      run: (_context, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    };
    const { clock, run, outcome } = start({ sources: [never], cacheSyncTimeoutMs: 1_000 });
    await clock.advance(1_000);
    await run;
    expect(outcome()).toMatchObject({
      message:
        'failed to wait for test caches to sync kind source: Site.shop.example.com: timed out waiting for cache to be synced; last error: no matches for kind "Site" in version "shop.example.com/v1"',
      cause: lastError,
    });
  });

  it("has a default sync timeout, and refuses timeouts that are not positive", async () => {
    const never: Source = {
      description: "kind source: Pod",
      run: (_context, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    };
    const { clock, run, outcome } = start({ sources: [never] });
    await clock.advance(119_999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await run;
    expect(String(outcome())).toContain("timed out waiting for cache to be synced");
    const bad = (options: object) => () =>
      new Controller({ name: "x", client: fakeClient(), reconcile: () => {}, ...options });
    expect(bad({ cacheSyncTimeoutMs: -1 })).toThrow("cacheSyncTimeoutMs must be above 0, got -1");
    expect(bad({ cacheSyncTimeoutMs: 0 })).toThrow("omit it for the default");
    expect(bad({ cacheSyncTimeoutMs: Number.NaN })).toThrow(RangeError);
    expect(bad({ reconciliationTimeoutMs: 0 })).toThrow(
      "reconciliationTimeoutMs must be above 0, got 0; set it to false for no timeout",
    );
  });

  it("uses defaults for undefined options", async () => {
    const { clock, stop, run, add, calls } = start({
      maxConcurrentReconciles: undefined,
      rateLimiter: undefined,
      priority: undefined,
      reconciliationTimeoutMs: undefined,
      cacheSyncTimeoutMs: undefined,
      recoverPanic: undefined,
      needLeaderElection: undefined,
      enableWarmup: undefined,
      readYourOwnWrites: undefined,
      recorder: undefined,
      logger: undefined,
      metrics: undefined,
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    expect(calls).toEqual(["ns/a"]);
    stop.abort();
    await run;
  });

  it("fails if a source neither returns nor calls synced in time, and reports the remedy", async () => {
    async function poll(): Promise<void> {
      await new Promise(() => {}); // ignores its signal too
    }
    const { clock, run, outcome, calls } = start({
      sources: [funcSource(poll), funcSource(poll)],
      cacheSyncTimeoutMs: 1_000,
    });
    await clock.advance(999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await run;
    expect(outcome()).toMatchObject({
      message:
        "failed to wait for test caches to sync func source: poll: timed out waiting for cache to be synced; the source has neither " +
        "returned nor called synced() within 1000 ms: call synced() as soon as the existing objects are queued, before the source waits or " +
        "loops, or raise cacheSyncTimeoutMs",
    });
    expect([calls, clock.waiting]).toEqual([[], 0]);
  });

  it("reconciles requests of a source that keeps running, once it has called synced", async () => {
    const source = funcSource(async ({ queue, synced, clock }, signal) => {
      queue.add("ns/a");
      synced();
      while (!signal.aborted) {
        await clock.sleep(10_000, signal);
        queue.add("ns/a");
      }
    });
    const { clock, stop, run, outcome, calls } = start({ sources: [source], cacheSyncTimeoutMs: 1_000 });
    await clock.advance(25_000);
    expect([outcome(), calls.length]).toEqual(["running", 3]);
    stop.abort();
    await run;
    expect(outcome()).toBe("stopped");
  });

  it("fails even if another source does not end", async () => {
    const error = new Error("no such kind");
    const deaf: Source = {
      description: "deaf",
      run: ({ synced }) => {
        synced();
        return new Promise(() => {});
      },
    };
    const failing = Promise.withResolvers<void>();
    const fails: Source = {
      ...deaf,
      run: (context) => Promise.race([deaf.run(context, AbortSignal.any([])), failing.promise]),
    };
    const { clock, run, outcome } = start({ sources: [deaf, fails] });
    await clock.advance(0);
    failing.reject(error);
    await clock.advance(999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await run;
    expect(outcome()).toBe(error);
  });

  it("fails with the error of a source, at the start and later", async () => {
    const error = new Error("no such kind");
    const first = start({ sources: [funcSource(() => Promise.reject(error))] });
    await first.run;
    expect(first.outcome()).toBe(error);

    const gate = Promise.withResolvers<void>();
    const runsOn: Source["run"] = ({ synced }) => {
      synced();
      return gate.promise;
    };
    const later = start({ sources: [{ description: "later", run: runsOn }] });
    await later.clock.advance(0);
    gate.reject(error);
    await later.run;
    expect(later.outcome()).toBe(error);
  });

  it("cannot be started twice", async () => {
    const { stop, run, controller } = start();
    await expect(controller.run(stop.signal)).rejects.toThrow("started more than once");
    stop.abort();
    await run;
    await expect(controller.run(stop.signal)).rejects.toThrow("started more than once");
  });

  it("waits for the reconciles in progress when it is stopped", async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, stop, run, add, outcome } = start({ reconcile: () => gate.promise });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    stop.abort();
    await clock.advance(1_000);
    expect(outcome()).toBe("running");
    gate.resolve();
    await run;
    expect(outcome()).toBe("stopped");
  });

  it("starts a source that is added while it runs", async () => {
    const { clock, stop, run, calls, controller } = start();
    await clock.advance(0);
    await controller.watch(funcSource(({ queue }) => queue.add("ns/late")));
    await clock.advance(0);
    expect(calls).toEqual(["ns/late"]);
    stop.abort();
    await run;
  });

  it("fills its queue before it runs when warmed up", async () => {
    const calls: string[] = [];
    const stop = new AbortController();
    const clock = new FakeClock();
    const controller = new Controller({
      name: "warm",
      client: fakeClient(),
      clock,
      enableWarmup: true,
      sources: [funcSource(({ queue }) => queue.add("ns/a"))],
      reconcile: (request) => void calls.push(request),
    });
    const warmup = controller.warmup(stop.signal);
    await clock.advance(0);
    expect([controller.queueLength, calls]).toEqual([1, []]);
    const run = controller.run(stop.signal);
    await clock.advance(0);
    expect(calls).toEqual(["ns/a"]);
    stop.abort();
    await Promise.all([warmup, run]);
  });
});
