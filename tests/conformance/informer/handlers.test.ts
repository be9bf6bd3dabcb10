import { type ResourceEventHandler, SharedInformer } from "@kubewright/cache";
import { FakeListWatch } from "@kubewright/cache/testing";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { type Pod, pod, settle } from "./pods.ts";
import { recordingLogger } from "./recording-logger.ts";

function started(
  names: readonly string[] = [],
  options: { resyncMs?: number | false; logger?: ReturnType<typeof recordingLogger>["logger"] } = {},
) {
  const source = new FakeListWatch<Pod>();
  for (const name of names) source.add(pod(name));
  const clock = new FakeClock();
  const informer = new SharedInformer<Pod>(source, { clock, ...options });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { source, clock, informer, end };
}

function recording(): { received: string[]; handler: ResourceEventHandler<Pod> } {
  const received: string[] = [];
  return {
    received,
    handler: {
      added: (object, isInitial) => void received.push(`+${object.metadata.name}${isInitial ? " initial" : ""}`),
      updated: (_, object) => void received.push(`~${object.metadata.name}`),
      deleted: (object) => void received.push(`-${object.metadata.name}`),
    },
  };
}

describe("shared informer: handlers", () => {
  it("INF-107 distinguishes registrations, also of one handler added twice", async () => {
    const { informer, source, end } = started();
    await informer.synced();
    const { received, handler } = recording();
    const first = informer.addHandler(handler);
    const second = informer.addHandler(handler);
    expect(first).not.toBe(second);
    source.add(pod("a"));
    await settle();
    expect(received).toEqual(["+a", "+a"]);
    await first.remove();
    source.add(pod("b"));
    await settle();
    expect(received).toEqual(["+a", "+a", "+b"]);
    await second.remove();
    source.add(pod("c"));
    await settle();
    expect(received).toHaveLength(3);
    await end();
  });

  it("INF-108 removes a registration twice without an error", async () => {
    const { informer, end } = started();
    const registration = informer.addHandler(recording().handler);
    await registration.remove();
    await expect(registration.remove()).resolves.toBeUndefined();
    await end();
  });

  it("INF-109 refuses handlers after the stop", async () => {
    const { informer, end } = started();
    await end();
    expect(() => informer.addHandler(recording().handler, { name: "late" })).toThrow(
      "handler late was not added to shared informer because it has stopped already",
    );
  });

  it("INF-110 removes handlers after the stop", async () => {
    const { informer, end } = started();
    const registration = informer.addHandler(recording().handler);
    await end();
    await expect(registration.remove()).resolves.toBeUndefined();
  });

  it("INF-111 reports nothing more to a removed handler, and everything to the others", async () => {
    const { informer, source, end } = started();
    await informer.synced();
    const [leaving, staying] = [recording(), recording()];
    const registration = informer.addHandler(leaving.handler);
    informer.addHandler(staying.handler);
    source.add(pod("a"));
    await settle();
    await registration.remove();
    source.modify(pod("a"));
    source.delete(pod("a"));
    await settle();
    expect(leaving.received).toEqual(["+a"]);
    expect(staying.received).toEqual(["+a", "~a", "-a"]);
    await end();
  });

  it("INF-112 first reports all existing objects to a late handler", async () => {
    const { informer, source, end } = started(["a", "b"]);
    await informer.synced();
    const { received, handler } = recording();
    const registration = informer.addHandler(handler);
    expect(await registration.synced()).toBe(true);
    source.add(pod("c"));
    source.delete(pod("a"));
    await settle();
    expect(received).toEqual(["+a initial", "+b initial", "+c", "-a"]);
    await end();
  });

  it("INF-113 survives handlers that are added and removed during many events", async () => {
    const { informer, source, end } = started();
    await informer.synced();
    const errors: string[] = [];
    let isOver = false;
    const abuse = async (): Promise<void> => {
      while (!isOver) {
        try {
          const registration = informer.addHandler(recording().handler);
          await settle(1);
          await registration.remove();
        } catch (error) {
          errors.push(String(error));
          return;
        }
      }
    };
    const abusers = Array.from({ length: 100 }, abuse);
    for (let index = 0; index < 10_000; index++) {
      source.add(pod(`pod-${index % 10}`));
      if (index % 500 === 0) await settle(1);
    }
    await end();
    isOver = true;
    await Promise.all(abusers);
    expect(errors.every((error) => error.includes("stopped already"))).toBe(true);
    expect(informer.indexer.size).toBe(10);
  });

  it("INF-114 continues a second after a handler threw, without delaying the others", async () => {
    const { logger, lines } = recordingLogger();
    const { informer, clock, end } = started(["a", "b", "c", "d", "e"], { logger });
    const failed: number[] = [];
    const own = recordingLogger();
    const failing = informer.addHandler(
      {
        added: () => {
          failed.push(clock.monotonic());
          throw new Error("handler broke");
        },
      },
      { name: "failing", logger: own.logger },
    );
    const other = recording();
    const registration = informer.addHandler(other.handler);
    await clock.advance(0);
    expect(registration.hasSynced).toBe(true);
    expect(other.received).toHaveLength(5);
    await clock.advance(10_000);
    expect(failed).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
    expect(failing.hasSynced).toBe(false);
    expect(own.lines.filter(({ handler }) => handler === "failing")).toHaveLength(5);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    await end();
  });

  it("INF-115 waits for the call in progress when it removes a handler", async () => {
    const { informer, source, end } = started();
    await informer.synced();
    let finish = (): void => {};
    const calls: string[] = [];
    const registration = informer.addHandler({
      added: (object) => {
        calls.push(object.metadata.name);
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    });
    source.add(pod("a"));
    source.add(pod("b"));
    await settle();
    let isRemoved = false;
    const removing = registration.remove().then(() => {
      isRemoved = true;
    });
    await settle();
    expect(isRemoved).toBe(false);
    finish();
    await removing;
    expect(calls).toEqual(["a"]);
    await end();
  });

  it("INF-116 removes early and late handlers promptly, before the start and from a running informer", async () => {
    const idle = new SharedInformer<Pod>(new FakeListWatch<Pod>(), { clock: new FakeClock() });
    const unstarted = idle.addHandler(recording().handler);
    await unstarted.remove();
    expect(await unstarted.synced()).toBe(false);

    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const informer = new SharedInformer<Pod>(source, { clock: new FakeClock() });
    const early = informer.addHandler(recording().handler);
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await early.synced();
    const late = informer.addHandler(recording().handler);
    await late.synced();
    await Promise.all([early.remove(), late.remove()]);
    stop.abort();
    await expect(running).resolves.toBeUndefined();
  });

  it("INF-117 has a readable name for each handler of any form", () => {
    class PodCounter implements ResourceEventHandler<Pod> {
      added(): void {}
    }
    const { informer } = started();
    const nameOf = (handler: ResourceEventHandler<Pod>): string => informer.addHandler(handler).name;
    expect(nameOf(new PodCounter())).toBe("PodCounter");
    expect(nameOf({ added: () => {}, deleted: () => {} })).toBe("{ added, deleted }");
    expect(nameOf({ updated: () => {} })).toBe("{ updated }");
    expect([nameOf({}), nameOf(Object.create(null))]).toEqual(["{  }", "{  }"]);
    // Values that a JavaScript program may pass.
    expect([null, undefined].map((handler: unknown) => nameOf(handler as ResourceEventHandler<Pod>))).toEqual([
      "null",
      "undefined",
    ]);
  });
});

describe("shared informer: resync periods", () => {
  it("INF-118 resyncs each handler in its own period, and only those that are due", async () => {
    const { informer, clock, source, end } = started(["a"], { resyncMs: 1_000 });
    await end();
    const fresh = new SharedInformer<Pod>(source, { clock, resyncMs: 1_000 });
    const counts = [0, 0, 0];
    for (const [index, resyncMs] of ([false, 2_000, 3_000] as const).entries()) {
      const updated = (): void => {
        counts[index] = (counts[index] ?? 0) + 1;
      };
      fresh.addHandler({ updated }, { resyncMs });
    }
    const stop = new AbortController();
    const running = fresh.run(stop.signal);
    await fresh.synced();
    await clock.advance(1_999);
    expect(counts).toEqual([0, 0, 0]);
    await clock.advance(1);
    expect(counts).toEqual([0, 1, 0]);
    await clock.advance(1_000);
    expect(counts).toEqual([0, 1, 1]);
    await clock.advance(1_000);
    expect(counts).toEqual([0, 2, 1]);
    stop.abort();
    await running;
    expect(informer.isStopped).toBe(true);
  });

  it("INF-119 checks at the shortest period that was set before the start", () => {
    const hour = 3_600_000;
    const informer = new SharedInformer<Pod>(new FakeListWatch<Pod>(), { clock: new FakeClock(), resyncMs: 12 * hour });
    const checks: (number | false)[] = [informer.resyncCheckMs];
    for (const resyncMs of [undefined, 60_000, 60_000, 55_000, 5_000]) {
      informer.addHandler({}, { resyncMs });
      checks.push(informer.resyncCheckMs);
    }
    expect(checks).toEqual([12 * hour, 12 * hour, 60_000, 60_000, 55_000, 5_000]);
  });

  it("INF-120 raises periods to a second, or after the start to the check period, and ignores them without resyncs", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const clock = new FakeClock();
    const quick = new SharedInformer<Pod>(source, { clock, resyncMs: 3_000 });
    quick.addHandler({}, { resyncMs: 10 });
    expect(quick.resyncCheckMs).toBe(1_000);

    const late = new SharedInformer<Pod>(source, { clock, resyncMs: 3_000 });
    const without = new SharedInformer<Pod>(source, { clock });
    const stop = new AbortController();
    const running = Promise.all([late.run(stop.signal), without.run(stop.signal)]);
    await Promise.all([late.synced(), without.synced()]);
    let resyncs = 0;
    late.addHandler({ updated: () => void resyncs++ }, { resyncMs: 1_000 });
    without.addHandler({ updated: () => void resyncs-- }, { resyncMs: 1_000 });
    await clock.advance(2_999);
    expect(resyncs).toBe(0);
    await clock.advance(1);
    expect([resyncs, late.resyncCheckMs, without.resyncCheckMs]).toEqual([1, 3_000, false]);
    await clock.advance(10_000);
    expect(resyncs).toBe(4);
    stop.abort();
    await running;
  });
});
