import { controllerManagedBy } from "@kubewright/builder";
import { untilAborted } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import {
  type CommonControllerOptions,
  Controller,
  type ControllerOptions,
  funcSource,
  noMetrics,
  type RequestQueueOptions,
} from "@kubewright/controller";
import { silentLogger } from "@kubewright/log";
import { type ControllerDefaults, Manager } from "@kubewright/manager";
import { exponentialFailure } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";
import { Pod } from "./cached-pods.ts";
import { noServer, runningController, shownQueue } from "./running-controller.ts";

const managerOf = (controllerDefaults: ControllerDefaults = {}): Manager =>
  new Manager({
    connection: { server: "http://127.0.0.1:1" },
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    clock: new FakeClock(),
    controllerDefaults,
  });

/** Returns a controller of a manager, with a source without events. */
function built(
  defaults: ControllerDefaults,
  own: CommonControllerOptions = {},
  manager = managerOf(defaults),
): Controller {
  return controllerManagedBy(manager)
    .named("test")
    .watchesRawSource(funcSource(() => {}))
    .withOptions(own)
    .complete(() => {});
}

/** Returns how long the start waits for a source that never syncs. */
async function syncTimeoutOf(defaults: ControllerDefaults, own: CommonControllerOptions): Promise<number> {
  const manager = managerOf(defaults);
  const { clock } = manager;
  if (!(clock instanceof FakeClock)) throw new Error("the manager has another clock");
  const controller = controllerManagedBy(manager)
    .named("test")
    .watchesRawSource({ description: "never", run: (_context, signal) => untilAborted(signal) })
    .withOptions(own)
    .complete(() => {});
  let failedAfterMs: number | undefined;
  const began = clock.monotonic();
  controller.run(new AbortController().signal).catch(() => {
    failedAfterMs = clock.monotonic() - began;
  });
  while (failedAfterMs === undefined) await clock.advance(1_000);
  return failedAfterMs;
}

describe("creation and defaults", () => {
  it("CT-001 requires a name and a reconciler, and names the missing one", () => {
    const options: ControllerOptions = { name: "test", client: noServer(), reconcile: () => {} };
    expect(() => new Controller({ ...options, name: "" })).toThrow("must specify a name");
    const reconcile = undefined as unknown as ControllerOptions["reconcile"];
    expect(() => new Controller({ ...options, reconcile })).toThrow('must specify a reconciler for controller "test"');
  });

  it("refuses a second controller of the same name in one manager", () => {
    const manager = managerOf();
    built({}, {}, manager);
    expect(() => built({}, {}, manager)).toThrow("controller with name test already exists");
    expect(() => built({}, {}, managerOf())).not.toThrow();
  });

  it.each([
    [undefined, undefined, true],
    [true, undefined, false],
    [undefined, true, false],
    [true, false, true],
    [false, true, false],
  ])(
    "CT-003 with skipNameValidation %s for all and %s for one, the same name is refused: %s",
    (all, one, isRefused) => {
      const defaults = { skipNameValidation: all };
      const manager = managerOf(defaults);
      built(defaults, { skipNameValidation: one }, manager);
      const second = () => built(defaults, { skipNameValidation: one }, manager);
      if (isRefused) expect(second).toThrow("already exists");
      else expect(second).not.toThrow();
    },
  );

  it("CT-004 has a default rate limiter, and uses a given one and a given queue", async () => {
    const made: RequestQueueOptions[] = [];
    const shown = shownQueue();
    const newQueue: CommonControllerOptions["newQueue"] = (options) => {
      made.push(options);
      return shown.newQueue(options);
    };
    const rateLimiter = exponentialFailure({ baseMs: 1, maxMs: 2 });
    for (const given of [{}, { rateLimiter }]) {
      const { end, add, clock, calls, queue } = runningController({ ...given, newQueue });
      await clock.advance(0);
      expect(() => queue()).toThrow("no queue has been created yet");
      shown.queue().add("web/a");
      add("web/b");
      await clock.advance(0);
      expect(calls).toEqual(["web/a", "web/b"]);
      await end();
    }
    expect(made.map(({ name }) => name)).toEqual(["test", "test"]);
    expect(made[0]?.rateLimiter.when("web/a")).toBe(5);
    expect(made[1]?.rateLimiter).toBe(rateLimiter);
  });

  it("CT-005 limits each item from 5 ms to 1000 s, and without priorities all items to 10 per second after 100", () => {
    const limiterOf = (priority: boolean): RequestQueueOptions["rateLimiter"] => {
      let limiter: RequestQueueOptions["rateLimiter"] | undefined;
      new Controller({
        name: "test",
        client: noServer(),
        reconcile: () => {},
        clock: new FakeClock(),
        priority,
        newQueue: (options) => {
          limiter = options.rateLimiter;
          return shownQueue(priority).newQueue(options);
        },
      });
      if (!limiter) throw new Error("no queue has been created yet");
      return limiter;
    };
    for (const priority of [true, false]) {
      const limiter = limiterOf(priority);
      expect([limiter.when("a"), limiter.when("a"), limiter.when("a")]).toEqual([5, 10, 20]);
      for (let failures = 3; failures < 30; failures++) limiter.when("a");
      expect(limiter.when("a")).toBe(1_000_000);
      for (let item = 31; item < 100; item++) limiter.when(`item ${item}`);
      const next = [limiter.when("x"), limiter.when("y"), limiter.when("z")];
      expect(next.map(Math.round)).toEqual(priority ? [5, 5, 5] : [100, 200, 300]);
    }
  });

  it.each([
    [undefined, ["high", "low"]],
    [true, ["high", "low"]],
    [false, ["low", "high"]],
  ])("CT-006 with priority %s uses %s", async (priority, order) => {
    const calls: string[] = [];
    const gate = Promise.withResolvers<void>();
    const { clock, add, end } = runningController({
      priority,
      newQueue: undefined,
      reconcile: (request) => {
        calls.push(request);
        return request === "first" ? gate.promise : undefined;
      },
    });
    await clock.advance(0);
    add("first");
    await clock.advance(0);
    add("low", { priority: -1 });
    add("high", { priority: 1 });
    gate.resolve();
    await clock.advance(0);
    expect(calls).toEqual(["first", ...order]);
    await end();
  });

  it.each([
    [undefined, undefined, 1],
    [5, undefined, 5],
    [5, 3, 3],
  ])("CT-007 with %s workers for all and %s for one, has %s", async (all, one, workers) => {
    const manager = managerOf({ maxConcurrentReconciles: all });
    const stop = new AbortController();
    let most = 0;
    let now = 0;
    const gate = Promise.withResolvers<void>();
    const controller = controllerManagedBy(manager)
      .named("test")
      .watchesRawSource(
        funcSource(({ queue }) => {
          for (let item = 0; item < 10; item++) queue.add(`item-${item}`);
        }),
      )
      .withOptions({ maxConcurrentReconciles: one })
      .complete(async () => {
        most = Math.max(most, ++now);
        await gate.promise;
        now--;
      });
    const running = controller.run(stop.signal);
    if (manager.clock instanceof FakeClock) await manager.clock.advance(0);
    expect(most).toBe(workers);
    stop.abort();
    gate.resolve();
    await running;
  });

  it.each([
    [undefined, undefined, 120_000],
    [5_000, undefined, 5_000],
    [5_000, 3_000, 3_000],
  ])("CT-008 with %s ms for all and %s for one, waits %s ms for its sources", async (all, one, waited) => {
    const measured = await syncTimeoutOf({ cacheSyncTimeoutMs: all }, { cacheSyncTimeoutMs: one });
    expect(measured).toBe(waited);
  });

  it("CT-009 inherits unset options from the manager, and its own false takes precedence", async () => {
    const group = (all?: boolean, one?: boolean) =>
      built({ needLeaderElection: all }, { needLeaderElection: one }).group;
    expect([group(), group(false), group(true, false), group(false, true)]).toEqual([
      "leaderElection",
      "others",
      "others",
      "leaderElection",
    ]);
    const isWarm = async (all?: boolean, one?: boolean): Promise<boolean> => {
      let hasStarted = false;
      const stop = new AbortController();
      const controller = controllerManagedBy(managerOf({ enableWarmup: all }))
        .named("test")
        .watchesRawSource(
          funcSource(() => {
            hasStarted = true;
          }),
        )
        .withOptions({ enableWarmup: one })
        .complete(() => {});
      const warmup = controller.warmup(stop.signal);
      stop.abort();
      await warmup;
      return hasStarted;
    };
    expect([await isWarm(), await isWarm(true), await isWarm(true, false)]).toEqual([false, true, false]);
    const recovers = async (all?: boolean, one?: boolean): Promise<boolean> => {
      const manager = managerOf({ recoverPanic: all });
      const stop = new AbortController();
      const controller = controllerManagedBy(manager)
        .named("test")
        .watchesRawSource(funcSource(({ queue }) => queue.add("web/a")))
        .withOptions({ recoverPanic: one })
        .complete(() => {
          throw new TypeError("a mistake");
        });
      const running = controller.run(stop.signal).then(
        () => true,
        () => false,
      );
      if (manager.clock instanceof FakeClock) await manager.clock.advance(1);
      stop.abort();
      return running;
    };
    expect([await recovers(), await recovers(false), await recovers(true, false)]).toEqual([true, false, false]);
    const hasDeadline = async (all?: number, one?: number | false): Promise<boolean> => {
      const manager = managerOf({ reconciliationTimeoutMs: all });
      const stop = new AbortController();
      let wasAborted = false;
      const controller = controllerManagedBy(manager)
        .named("test")
        .watchesRawSource(funcSource(({ queue }) => queue.add("web/a")))
        .withOptions({ reconciliationTimeoutMs: one })
        .complete(async (_request, { signal }) => {
          signal.addEventListener("abort", () => {
            wasAborted = !stop.signal.aborted;
          });
          await manager.clock.sleep(10_000);
        });
      const running = controller.run(stop.signal);
      if (manager.clock instanceof FakeClock) await manager.clock.advance(10_000);
      stop.abort();
      await running;
      return wasAborted;
    };
    expect([await hasDeadline(), await hasDeadline(1_000), await hasDeadline(1_000, false)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("CT-010 starts nothing before it runs", async () => {
    const clock = new FakeClock();
    let hasStarted = false;
    const source = funcSource(() => {
      hasStarted = true;
    });
    new Controller({
      name: "x",
      client: noServer(),
      reconcile: () => {},
      clock,
      sources: [source],
      metrics: () => noMetrics,
    });
    await clock.advance(1_000);
    expect([hasStarted, clock.waiting]).toEqual([false, 0]);
  });

  it("has an empty controller name if the kind has no name", () => {
    expect(() =>
      controllerManagedBy(managerOf())
        .for({ ...Pod, kind: "" })
        .complete(() => {}),
    ).toThrow("controller must have a name");
  });
});
