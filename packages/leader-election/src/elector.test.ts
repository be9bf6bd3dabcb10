import { alreadyExists, conflict, notFound } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { Elector, type ElectorOptions } from "./elector.ts";
import { isNotLeading } from "./leadership-error.ts";
import type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";

const leases = { group: "coordination.k8s.io", resource: "leases" };

/** What all candidates compete for. */
class Store {
  record: LeaderElectionRecord | undefined;
  version = 0;
  readonly calls: string[] = [];
  fail: (call: string) => Error | undefined = () => undefined;
}

class FakeLock implements ResourceLock {
  readonly description = "ns/lock";
  readonly identity: string;
  readonly recorded: string[] = [];
  readonly #store: Store;
  #version = -1;

  constructor(store: Store, identity: string) {
    this.#store = store;
    this.identity = identity;
  }

  #call(name: string): void {
    this.#store.calls.push(name);
    const error = this.#store.fail(name);
    if (error) throw error;
  }

  async get(): Promise<LeaderElectionRecord> {
    this.#call("get");
    if (!this.#store.record) throw notFound(leases, "lock");
    this.#version = this.#store.version;
    return this.#store.record;
  }

  async create(record: LeaderElectionRecord): Promise<void> {
    this.#call("create");
    if (this.#store.record) throw alreadyExists(leases, "lock");
    this.#store.record = record;
    this.#version = ++this.#store.version;
  }

  async update(record: LeaderElectionRecord): Promise<void> {
    this.#call("update");
    if (this.#version !== this.#store.version) throw conflict(leases, "lock", "it changed");
    this.#store.record = record;
    this.#version = ++this.#store.version;
  }

  record(text: string): void {
    this.recorded.push(`${this.identity} ${text}`);
  }
}

const held = (by: string, more: Partial<LeaderElectionRecord> = {}): LeaderElectionRecord => ({
  holderIdentity: by,
  leaseDurationSeconds: 15,
  acquireTimeMs: 1,
  renewTimeMs: 1,
  leaderTransitions: 3,
  ...more,
});

const candidate = (store: Store, clock: FakeClock, identity: string, options: Partial<ElectorOptions> = {}) => {
  const lock = new FakeLock(store, identity);
  const elector = new Elector({ lock, clock, random: () => 0, ...options });
  const stop = new AbortController();
  const seen: string[] = [];
  elector.events.on("leaderChanged", (leader) => seen.push(leader));
  let ended: unknown = "running";
  const run = elector.run(stop.signal).then(
    () => (ended = "stopped"),
    (error: unknown) => (ended = error),
  );
  return { lock, elector, stop, seen, run, ended: () => ended };
};

describe("Elector", () => {
  it("creates the lease when there is none, then renews without reading", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(4_000);
    expect(a.elector.leads).toBe(true);
    expect(store.calls).toEqual(["get", "create", "update", "update"]);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 0, leaseDurationSeconds: 15 });
    a.stop.abort();
    await a.run;
    expect(store.record?.holderIdentity).toBe("a");
    expect(a.lock.recorded).toEqual(["a became leader", "a stopped leading"]);
  });

  it("takes a lease without a holder at once", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("");
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 4 });
    a.stop.abort();
    await a.run;
  });

  it("takes another's lease only when nothing was heard for its duration", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("b");
    const a = candidate(store, clock, "a");
    await clock.advance(14_000);
    expect(a.elector.leads).toBe(false);
    expect(a.seen).toEqual(["b"]);
    expect(store.calls.every((call) => call === "get")).toBe(true);
    await clock.advance(2_000);
    expect(a.elector.leads).toBe(true);
    expect(a.seen).toEqual(["b", "a"]);
    a.stop.abort();
    await a.run;
  });

  it("keeps acquire time and transitions while it renews", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("a", { acquireTimeMs: 42 });
    const a = candidate(store, clock, "a");
    await clock.advance(2_000);
    expect(store.record).toMatchObject({ acquireTimeMs: 42, leaderTransitions: 3, renewTimeMs: clock.now() });
    a.stop.abort();
    await a.run;
  });

  it("gives up when it cannot renew within the deadline, and rejects", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(2_000);
    store.fail = () => new Error("connection refused");
    await clock.advance(12_000);
    expect(a.elector.leads).toBe(false);
    expect(a.elector.leadership.aborted).toBe(true);
    expect(isNotLeading(a.ended())).toBe(true);
  });

  it("is deposed by looking at the time when the event loop was stalled past the lease", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    expect(a.elector.leads).toBe(true);
    clock.setWall(clock.now() + 15_000); // the machine slept: no timer has fired yet
    expect(() => a.elector.assertLeading()).toThrow("does not lead");
    expect(a.elector.leadership.aborted).toBe(true);
    expect(store.calls).toEqual(["get", "create"]);
    await clock.advance(2_000);
    expect(isNotLeading(a.ended())).toBe(true);
  });

  it("releases the lease at the end when told to, so that another takes it at once", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a", { releaseOnCancel: true });
    const b = candidate(store, clock, "b");
    await clock.advance(1_000);
    expect([a.elector.leads, b.elector.leads]).toEqual([true, false]);
    a.stop.abort();
    await a.run;
    expect(store.record).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(a.elector.leader).toBe("");
    await clock.advance(4_000);
    expect(b.elector.leads).toBe(true);
    b.stop.abort();
    await b.run;
  });

  it("never has two leaders, whatever fails in between", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const all = ["a", "b", "c"].map((identity) => candidate(store, clock, identity));
    let calls = 0;
    store.fail = () => (calls++ % 3 === 0 ? new Error("lost") : undefined);
    for (let second = 0; second < 120; second++) {
      await clock.advance(1_000);
      expect(all.filter(({ elector }) => elector.leads).length).toBeLessThanOrEqual(1);
    }
    for (const { stop, run } of all) {
      stop.abort();
      await run;
    }
  });

  it("is unhealthy when the lease it holds is far expired", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    a.elector.checkHealth();
    store.fail = () => new Error("connection refused");
    await clock.advance(36_000);
    expect(() => a.elector.checkHealth(20_000)).toThrow("ns/lock");
  });

  it("refuses durations that do not fit together", () => {
    const lock = new FakeLock(new Store(), "a");
    expect(() => new Elector({ lock, renewDeadlineMs: 20_000 })).toThrow("leaseDurationMs must be greater");
    expect(() => new Elector({ lock, retryPeriodMs: 9_000 })).toThrow("renewDeadlineMs must be greater");
    expect(() => new Elector({ lock: new FakeLock(new Store(), "") })).toThrow("identity is empty");
  });

  it("goes on when a listener throws", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    a.elector.events.on("elected", () => {
      throw new Error("listener");
    });
    await clock.advance(4_000);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });
});
