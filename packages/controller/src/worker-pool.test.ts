import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { type ControllerMetrics, noMetrics } from "./controller-metrics.ts";
import { completed } from "./controller-options.ts";
import { isTerminalError, TerminalError } from "./errors.ts";
import type { ReconcileContext } from "./reconciler.ts";
import type { ReconcileRecorder } from "./recording.ts";
import { firstComeFirstServed, type PrioritizedRequest, type RequestQueue } from "./request-queue.ts";
import { fakeClient } from "./testing/fake-client.ts";
import { loggedLines } from "./testing/logged-lines.ts";
import { startController as start } from "./testing/start-controller.ts";
import { WorkerPool } from "./worker-pool.ts";

/** Workers whose requests a test provides; it also ends each reconcile. */
function startPool(maxConcurrentReconciles: number) {
  const clock = new FakeClock();
  const jobs: (() => Promise<void>)[] = [];
  const options = completed<string>({
    name: "test",
    client: fakeClient(),
    clock,
    maxConcurrentReconciles,
    recoverPanic: false,
    reconcile: () => jobs.shift()?.(),
  });
  const takers: ((dequeued: PrioritizedRequest<string> | undefined) => void)[] = [];
  const queue: RequestQueue = {
    ...firstComeFirstServed<string>({ name: "test", clock, rateLimiter: options.rateLimiter }),
    tryGet: () => undefined,
    get: () => new Promise((resolve) => takers.push(resolve)),
  };
  const pool = new WorkerPool(options, { queue, metrics: noMetrics, ownWrites: undefined });
  const settled: string[] = [];
  const { signal } = new AbortController();
  const running = pool.run(signal, signal).then(
    () => settled.push("ended"),
    (error: Error) => settled.push(error.message),
  );
  const give = async (job: () => Promise<void>): Promise<void> => {
    jobs.push(job);
    takers.shift()?.({ item: `ns/${jobs.length}`, priority: 0 });
    await Promise.resolve().then(() => {});
  };
  const stop = async (): Promise<void> => {
    for (const take of takers.splice(0)) take(undefined);
    await running;
  };
  return { takers, give, stop, settled, running };
}

describe("a worker pool", () => {
  it("has one waiting worker while others are busy, up to the maximum", async () => {
    const { takers, give, stop, settled } = startPool(3);
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
    const { takers, give, stop } = startPool(100);
    for (let job = 0; job < 10; job++) {
      await give(async () => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(takers.length).toBeLessThanOrEqual(2);
    await stop();
  });

  it("fails if a worker fails", async () => {
    const { give, running, settled } = startPool(2);
    await give(() => Promise.reject(new TypeError("broken")));
    await running;
    expect(settled).toEqual(["broken"]);
  });
});

describe("a reconcile", () => {
  it("has its own ID, a signal, and the causes of its request", async () => {
    const seen: ReconcileContext[] = [];
    const { clock, stop, run, add } = start({ reconcile: (_request, context) => void seen.push(context) });
    const cause = { source: "Pod", type: "update", key: "ns/p", resourceVersion: "7" } as const;
    await clock.advance(0);
    add("ns/b"); // an idle worker takes it at once
    add("ns/a", { cause });
    add("ns/a", { cause: { ...cause, resourceVersion: "8" } });
    await clock.advance(0);
    expect(seen[1]?.causes).toEqual([{ ...cause, resourceVersion: "8" }]);
    expect(new Set(seen.map(({ reconcileID }) => reconcileID)).size).toBe(2);
    expect(seen[0]?.signal.aborted).toBe(false);
    stop.abort();
    await run;
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  it("is recorded while there is a recorder", async () => {
    const seen: unknown[] = [];
    const recordedClock = new FakeClock(5);
    const recorded = fakeClient();
    const recorder: ReconcileRecorder = {
      begin: ({ controller, request, causes }) => {
        seen.push([controller, request, causes]);
        return {
          clock: recordedClock,
          client: () => recorded,
          observe: async (name, ask) => {
            seen.push(name);
            return ask();
          },
          end: (outcome) => seen.push(outcome),
        };
      },
    };
    const recording: { recorder?: ReconcileRecorder } = {};
    const { clock, stop, run, add } = start({
      recording,
      reconcile: async (request, context) => {
        if (request === "ns/panic") throw new TypeError("no function");
        if (request === "ns/terminal") throw new TerminalError(new Error("never"));
        const isRecorded = context.clock === recordedClock && context.client === recorded;
        return { requeueAfterMs: isRecorded ? await context.observe("delay", () => 5) : 7 };
      },
    });
    await clock.advance(0);
    add("ns/unseen");
    await clock.advance(0);
    expect(seen).toEqual([]);
    recording.recorder = recorder;
    for (const key of ["ns/a", "ns/panic", "ns/terminal"]) {
      add(key);
      await clock.advance(0);
    }
    const about = { reconcileID: undefined, tookMs: 0 };
    const [began, observed, ended, panicBegan, panicked, , gaveUp, ...others] = seen;
    expect([began, observed, ended]).toEqual([
      ["test", "ns/a", []],
      "delay",
      { ...about, result: { requeueAfterMs: 5 } },
    ]);
    expect([panicBegan, panicked]).toEqual([
      ["test", "ns/panic", []],
      { ...about, error: new TypeError("no function"), isPanic: true, isTerminal: false },
    ]);
    expect(gaveUp).toMatchObject({ isPanic: false, isTerminal: true });
    expect(others).toEqual([]);
    stop.abort();
    await run;
  });

  it("has its whole context in a copy as well", async () => {
    const copies: ReconcileContext[] = [];
    const { log, lines } = loggedLines();
    const { clock, stop, run, add } = start({
      logger: log,
      reconcile: (_request, context) => {
        const copy = { ...context };
        copy.log.warn("copied");
        copies.push(copy);
      },
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    const [copy] = copies;
    const members = ["causes", "client", "clock", "log", "observe", "reconcileID", "recorder", "signal"];
    expect(Object.keys(copy ?? {}).sort()).toEqual(members);
    expect(copy?.clock).toBe(clock);
    expect(await copy?.observe("quota", async () => 5)).toBe(5);
    await expect(copy?.observe("quota", () => Promise.reject(new Error("none")))).rejects.toThrow("none");
    await expect(copy?.client.get({ group: "", version: "v1", kind: "Pod" }, "ns/a")).rejects.toThrow("not found");
    expect(lines).toMatchObject([{ controller: "test", namespace: "ns", name: "a", reconcileID: copy?.reconcileID }]);
    stop.abort();
    await run;
  });

  it("that throws a value which is not an error is logged with the value", async () => {
    const { log, lines } = loggedLines();
    const { clock, stop, run, add } = start({ logger: log, reconcile: () => Promise.reject(undefined) });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(0);
    expect(lines).toMatchObject([
      { level: "error", name: "a", err: { message: "a value that is not an error was thrown: undefined" } },
    ]);
    stop.abort();
    await run;
  });

  it("that ends because the controller stops is not logged as an error, but a timeout is", async () => {
    const { log, lines } = loggedLines();
    const { clock, stop, run, add } = start({
      logger: log,
      reconciliationTimeoutMs: 1_000,
      reconcile: async (_request, { signal }) => {
        await once(signal, "abort");
        await setTimeout(1, undefined, { signal }).catch((cause: unknown) => {
          throw new Error("waiting for the other side", { cause });
        });
      },
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(1_000);
    expect(lines).toMatchObject([{ level: "error", msg: "reconciler error" }]);
    await clock.advance(100);
    stop.abort();
    await run;
    expect(lines).toHaveLength(1);
  });

  it("that finds no server with fetch is an error, not a panic", async () => {
    const { clock, stop, run, add, calls, outcome } = start({
      recoverPanic: false,
      reconcile: async () => {
        await fetch("http://127.0.0.1:1/");
      },
    });
    await clock.advance(0);
    add("ns/a");
    await expect.poll(async () => clock.advance(5).then(() => calls.length)).toBeGreaterThan(1);
    expect(outcome()).toBe("running");
    stop.abort();
    await run;
  });

  it("sees its signal abort at the timeout, which is counted", async () => {
    let timeouts = 0;
    const { clock, stop, run, add, calls } = start({
      reconciliationTimeoutMs: 1_000,
      metrics: () => ({ ...noMetrics, timeouts: { inc: () => void timeouts++ } }),
      reconcile: (_request, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(1_000);
    expect(timeouts).toBe(1);
    await clock.advance(1_005);
    expect([timeouts, calls.length]).toEqual([2, 2]);
    stop.abort();
    await run;
  });

  it("does not count as timed out if the controller stopped first", async () => {
    let timeouts = 0;
    const { clock, stop, run, add, outcome } = start({
      reconciliationTimeoutMs: 1_000,
      metrics: () => ({ ...noMetrics, timeouts: { inc: () => void timeouts++ } }),
      reconcile: () => clock.sleep(3_000),
    });
    await clock.advance(0);
    add("ns/a");
    await clock.advance(999);
    stop.abort();
    await clock.advance(5_000);
    await run;
    expect([timeouts, outcome()]).toEqual([0, "stopped"]);
  });

  it("observes its duration in seconds", async () => {
    const took: number[] = [];
    const { clock, stop, run, add } = start({
      reconcile: () => clock.sleep(1_500),
      metrics: () => ({ ...noMetrics, reconcileTime: { observe: (seconds) => void took.push(seconds) } }),
    });
    await clock.advance(700);
    add("ns/a");
    await clock.advance(1_500);
    expect(took).toEqual([1.5]);
    stop.abort();
    await run;
  });

  it("is retried after a programming error, or ends the controller if configured", async () => {
    const broken = () => {
      throw new TypeError("undefined is not a function");
    };
    let panics = 0;
    const metrics = (): ControllerMetrics => ({ ...noMetrics, panics: { inc: () => void panics++ } });
    const going = start({ reconcile: broken, metrics });
    await going.clock.advance(0);
    going.add("ns/a");
    await going.clock.advance(5);
    expect([going.calls.length, panics]).toEqual([2, 2]);
    going.stop.abort();
    await going.run;

    const failing = start({ reconcile: broken, recoverPanic: false });
    await failing.clock.advance(0);
    failing.add("ns/a");
    await failing.run;
    expect(failing.outcome()).toBeInstanceOf(TypeError);
  });

  for (const priority of [true, false])
    it(`may finish when another's programming error ends the controller, and none begins (priority: ${priority})`, async () => {
      const gate = Promise.withResolvers<void>();
      let wasAborted = false;
      const { clock, run, add, calls, outcome } = start({
        priority,
        recoverPanic: false,
        maxConcurrentReconciles: 2,
        reconcile: async (request, { signal }) => {
          if (request === "ns/bad") throw new TypeError("undefined is not a function");
          await once(signal, "abort");
          wasAborted = true;
          await gate.promise;
        },
      });
      await clock.advance(0);
      for (const name of ["ns/slow", "ns/bad", "ns/next", "ns/last"]) add(name);
      await clock.advance(29_000);
      expect([wasAborted, outcome()]).toEqual([true, "running"]);
      gate.resolve();
      await run;
      expect(outcome()).toBeInstanceOf(TypeError);
      expect(calls).toEqual(["ns/slow", "ns/bad"]);
    });

  it("that does not end does not hide the error that ended the controller forever", async () => {
    const { clock, run, add, outcome } = start({
      recoverPanic: false,
      maxConcurrentReconciles: 2,
      reconcile: (request) => {
        if (request === "ns/bad") throw new TypeError("undefined is not a function");
        return new Promise(() => {});
      },
    });
    await clock.advance(0);
    add("ns/slow");
    add("ns/bad");
    await clock.advance(30_000);
    await run;
    expect(outcome()).toBeInstanceOf(TypeError);
  });

  it("keeps its priority when it is queued again", async () => {
    const gate = Promise.withResolvers<void>();
    let first = true;
    const { clock, stop, run, add, calls } = start({
      reconcile: async (request) => {
        if (request === "ns/gate") await gate.promise;
        if (request !== "ns/high" || !first) return undefined;
        first = false;
        return { requeueAfterMs: 1 };
      },
    });
    await clock.advance(0);
    add("ns/high", { priority: 5 });
    await clock.advance(0);
    add("ns/gate", { priority: 9 });
    await clock.advance(0);
    add("ns/normal");
    await clock.advance(1);
    gate.resolve();
    await clock.advance(0);
    expect(calls).toEqual(["ns/high", "ns/gate", "ns/high", "ns/normal"]);
    stop.abort();
    await run;
  });

  it("counts its result", async () => {
    const counted: string[] = [];
    const count = (result: string) => ({ inc: () => void counted.push(result) });
    const reconciles = {
      success: count("success"),
      error: count("error"),
      requeue: count("requeue"),
      requeue_after: count("requeue_after"),
    };
    const results = [undefined, { requeueAfterMs: 3_600_000 }, { requeue: true }];
    const { clock, stop, run, add } = start({
      metrics: () => ({ ...noMetrics, reconciles }),
      reconcile: () => {
        if (results.length === 0) throw new TerminalError("no more");
        return results.shift();
      },
    });
    await clock.advance(0);
    for (let i = 0; i < 3; i++) {
      add("ns/a");
      await clock.advance(0);
    }
    await clock.advance(5);
    expect(counted).toEqual(["success", "requeue_after", "requeue", "error"]);
    stop.abort();
    await run;
  });
});

const fails = (): never => {
  throw new Error("a getter threw");
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const circular = (): Error => {
  const error = new Error("circular");
  error.cause = error;
  return error;
};

describe.each<[string, unknown]>([
  ["a frozen error", Object.freeze(new Error("frozen"))],
  ["an error with a frozen cause", new Error("outer", { cause: Object.freeze(new Error("frozen")) })],
  ["an error whose message cannot be read", Object.defineProperty(new Error(), "message", { get: fails })],
  ["an error whose cause cannot be read", Object.defineProperty(new TypeError("x"), "cause", { get: fails })],
  ["a circular chain of causes", circular()],
  ["a TerminalError that was caused by itself", Object.assign(new TerminalError("x"), { cause: circular() })],
  ["a revoked proxy", revoked()],
  ["an error caused by a revoked proxy", new Error("x", { cause: revoked() })],
  ["a proxy that throws", new Proxy(new Error("x"), { get: fails, getPrototypeOf: fails })],
  ["an object without a text", Object.create(null)],
  ["nothing", undefined],
  ["null", null],
  ["a symbol", Symbol("x")],
])("a reconcile that throws %s", (_, thrown) => {
  it("is logged, shown and retried, without blocking others", async () => {
    const { log, lines } = loggedLines();
    const logger = log.child({}, { serializers: { err: fails } });
    const reconcile = (request: string): void => {
      if (request === "ns/bad") throw thrown;
    };
    const { clock, stop, run, add, calls, controller, outcome } = start({ logger, reconcile });
    controller.inspect();
    await clock.advance(0);
    add("ns/bad");
    await clock.advance(1_000);
    add("ns/good");
    await clock.advance(0);
    expect(outcome()).toBe("running");
    expect(calls.at(-1)).toBe("ns/good");
    if (!isTerminalError(thrown)) expect(calls.filter((call) => call === "ns/bad").length).toBeGreaterThan(3);
    expect(lines[0]).toMatchObject({ level: "error", name: "bad", err: { message: expect.any(String) } });
    expect(controller.inspect({ limit: 10 }).reconciles?.[0]).toMatchObject({ result: "success" });
    expect(controller.inspect({ limit: 10 }).reconciles?.[1]).toMatchObject({ error: expect.any(String) });
    stop.abort();
    await run;
  });
});
