import { Client } from "@kubewright/client";
import { Lease } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { Elector, type ElectorOptions, isNotLeadingError, LeaseLock } from "@kubewright/leader-election";
import { describe, expect, it } from "vitest";
import { ContestedLock, candidate, heldBy, LeaseStore } from "./contested-lock.ts";

const never = (): Promise<void> => new Promise(() => {});
const refuse = (): Error => new Error("connection refused");

describe("configuration", () => {
  it("LE-001 refuses a lock without an identity", () => {
    const lock = new ContestedLock(new LeaseStore(), "");
    expect(() => new Elector({ lock })).toThrow("lock identity is empty");
  });

  it.each<[Partial<ElectorOptions>, string]>([
    [{ leaseDurationMs: 10_000 }, "leaseDurationMs must be greater than renewDeadlineMs"],
    [{ renewDeadlineMs: 2_400 }, "renewDeadlineMs must be greater than retryPeriodMs * 1.2"],
    [{ retryPeriodMs: 0 }, "retryPeriodMs must be greater than zero"],
    [{ renewDeadlineMs: -1, retryPeriodMs: -2 }, "retryPeriodMs must be greater than zero"],
  ])("LE-002 refuses inconsistent durations: %o", (options, message) => {
    const lock = new ContestedLock(new LeaseStore(), "a");
    expect(() => new Elector({ lock, ...options })).toThrow(message);
  });

  it("LE-003 leases for 15 s, renews every 2 s and for 10 s at most, and tries to acquire every 2 s to 4.4 s", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const leader = candidate(store, clock);
    await clock.advance(1_999);
    expect(store.record?.leaseDurationSeconds).toBe(15);
    expect(store.calls).toEqual(["get", "create"]);
    await clock.advance(1);
    expect(store.calls).toEqual(["get", "create", "update"]);
    store.fail = refuse;
    await clock.advance(9_999);
    expect(leader.elector.leads).toBe(true);
    await clock.advance(1);
    expect(leader.elector.leads).toBe(false);
    await leader.end();

    const held = new LeaseStore();
    held.record = heldBy("b");
    const hesitant = candidate(held, clock, { random: () => 1 });
    await clock.advance(4_399);
    expect(held.calls).toEqual(["get"]);
    await clock.advance(1);
    expect(held.calls).toEqual(["get", "get"]);
    await hesitant.end();
  });
});

describe("acquiring and renewing", () => {
  it("LE-004 creates a missing lease", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { end } = candidate(store, clock);
    await clock.advance(0);
    expect(store.calls).toEqual(["get", "create"]);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 0 });
    await end();
  });

  it("LE-005 takes a lease without a record or without a holder by an update", async () => {
    await using env = await Environment.start();
    await using client = new Client({ connection: env.connection() });
    for (const [name, spec] of [
      ["bare", undefined],
      ["unled", { leaseTransitions: 0 }],
    ] as const) {
      await client.create(Lease, { metadata: { name, namespace: "default" }, ...(spec ? { spec } : {}) });
      const lock = new LeaseLock({ client, namespace: "default", name, identity: "a" });
      const elector = new Elector({ lock });
      const stop = new AbortController();
      const elected = new Promise<void>((resolve) => void elector.events.once("elected", resolve));
      const run = elector.run(stop.signal);
      await elected;
      const lease = await client.get(Lease, `default/${name}`);
      expect(lease.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 1 });
      stop.abort();
      await run;
    }
  });

  it("LE-006 takes another's lease when its duration has passed since its content was first seen", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("b");
    const { elector, end } = candidate(store, clock);
    await clock.advance(10_000);
    store.record = heldBy("b", { renewTimeMs: 2 });
    await clock.advance(14_000);
    expect(elector.leads).toBe(false);
    await clock.advance(4_000);
    expect(elector.leads).toBe(true);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 4 });
    await end();
  });

  it("LE-007 takes a lease at once when its holder has become empty", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("b");
    const { elector, end } = candidate(store, clock);
    await clock.advance(1_000);
    store.record = heldBy("");
    await clock.advance(1_000);
    expect(elector.leads).toBe(true);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 4 });
    await end();
  });

  it("LE-008 leaves another's valid lease unchanged, and reports the leader", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const record = heldBy("b");
    store.record = record;
    const { elector, end } = candidate(store, clock);
    await clock.advance(0);
    expect(store.calls).toEqual(["get"]);
    expect(store.record).toBe(record);
    expect([elector.leads, elector.leader]).toEqual([false, "b"]);
    await end();
  });

  it("LE-009 keeps acquire time and transitions while it renews", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("a", { acquireTimeMs: 42 });
    const { end } = candidate(store, clock);
    await clock.advance(2_000);
    expect(store.record).toMatchObject({ acquireTimeMs: 42, leaderTransitions: 3, renewTimeMs: clock.now() });
    await end();
  });

  it("LE-010 reports each new leader once, including itself, after the fact", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("b");
    const { elector, leaders, end } = candidate(store, clock);
    const settled: boolean[] = [];
    elector.events.on("leaderChanged", (leader) => settled.push(elector.leader === leader));
    await clock.advance(4_000);
    expect(leaders).toEqual(["b"]);
    await clock.advance(20_000);
    expect(leaders).toEqual(["b", "a"]);
    expect(settled).toEqual([true, true]);
    await end();
  });

  it("LE-011 renews without reading while it holds the lease", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { end } = candidate(store, clock);
    await clock.advance(4_000);
    expect(store.calls).toEqual(["get", "create", "update", "update"]);
    await end();
  });
});

describe("releasing", () => {
  it("LE-012 leaves an empty holder and a duration of a second, and reports that nobody leads", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("");
    const { elector, leaders, end } = candidate(store, clock, { releaseOnCancel: true });
    await clock.advance(2_000);
    await end();
    expect(store.record).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaderTransitions: 4 });
    expect(elector.leader).toBe("");
    expect(leaders).toEqual(["a", ""]);
  });

  it.each([heldBy("b"), undefined])(
    "LE-013 writes nothing if the lease belongs to another or is gone: %o",
    async (found) => {
      const [store, clock] = [new LeaseStore(), new FakeClock()];
      const { end } = candidate(store, clock, { releaseOnCancel: true });
      await clock.advance(1_000);
      store.record = found;
      store.calls.length = 0;
      await end();
      expect(store.calls).toEqual(["get"]);
      expect(store.record).toBe(found);
    },
  );

  it("LE-014 releases the lease even if it was stopped during an update", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { end } = candidate(store, clock, { releaseOnCancel: true });
    await clock.advance(1_000);
    store.fail = (call) => (call === "update" ? never() : undefined);
    await clock.advance(1_000);
    expect(store.calls.at(-1)).toBe("update");
    store.fail = () => undefined;
    await end();
    expect(store.record?.holderIdentity).toBe("");
  });

  it("LE-015 records that it became leader, and that it stopped leading", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { lock, end } = candidate(store, clock, { releaseOnCancel: true });
    await clock.advance(1_000);
    await end();
    expect(lock.recorded).toEqual(["a became leader", "a stopped leading"]);
  });
});

describe("the run loop", () => {
  it("LE-016 ends whether it led or not, together with the signal of its leadership", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("b");
    const follower = candidate(store, clock);
    await clock.advance(1_000);
    await follower.end();
    expect(follower.ended()).toBe("stopped");
    expect(follower.terms).toEqual([]);

    store.record = undefined;
    const leader = candidate(store, clock);
    await clock.advance(0);
    expect(leader.terms).toEqual(["elected"]);
    expect(leader.elector.leadership.aborted).toBe(false);
    await leader.end();
    expect(leader.elector.leadership.aborted).toBe(true);
    expect(leader.terms).toEqual(["elected", "deposed"]);
  });

  it("LE-017 gives up if no renewal succeeds within the deadline, and does not compete again", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { ended } = candidate(store, clock);
    await clock.advance(1_000);
    store.fail = refuse;
    await clock.advance(9_000);
    expect(store.calls.filter((call) => call === "update").length).toBeGreaterThan(2);
    expect(isNotLeadingError(ended())).toBe(true);
    const tries = store.calls.length;
    store.fail = () => undefined;
    await clock.advance(60_000);
    expect(store.calls).toHaveLength(tries);
  });

  it("LE-018 reports its health while it renews", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { elector, end } = candidate(store, clock);
    await clock.advance(1_000);
    store.fail = (call) => (call === "update" ? never() : undefined);
    await clock.advance(1_000);
    expect(() => elector.checkHealth(20_000)).not.toThrow();
    await end();
  });
});

describe("the health check", () => {
  const lasting = { leaseDurationMs: 60_000 };

  it("LE-019 is healthy before it runs", () => {
    const lock = new ContestedLock(new LeaseStore(), "a");
    expect(() => new Elector({ lock }).checkHealth(20_000)).not.toThrow();
  });

  it("LE-020 is unhealthy if it holds a lease and has not renewed it for longer than its duration and the tolerance", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    const { elector } = candidate(store, clock, lasting);
    await clock.advance(0);
    store.fail = never;
    await clock.advance(80_000);
    expect(() => elector.checkHealth(20_000)).not.toThrow();
    await clock.advance(1);
    expect(() => elector.checkHealth(20_000)).toThrow("failed election to renew leadership on lease ns/lock");
  });

  it("LE-021 is healthy if another holds the lease, however old, or if it is current", async () => {
    const [store, clock] = [new LeaseStore(), new FakeClock()];
    store.record = heldBy("b", { leaseDurationSeconds: 3_600 });
    const follower = candidate(store, clock, lasting);
    await clock.advance(0);
    store.fail = refuse;
    await clock.advance(600_000);
    expect(() => follower.elector.checkHealth(20_000)).not.toThrow();
    await follower.end();

    const leader = candidate(new LeaseStore(), clock, lasting);
    await clock.advance(600_000);
    expect(leader.elector.leads).toBe(true);
    expect(() => leader.elector.checkHealth(20_000)).not.toThrow();
    await leader.end();
  });
});
