import { alreadyExists, conflict, notFound } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { Elector } from "./elector.ts";
import type { ElectorOptions } from "./elector-options.ts";
import { isNotLeadingError } from "./leadership-error.ts";
import type { LeaderElectionRecord, ResourceLock } from "./resource-lock.ts";

const leases = { group: "coordination.k8s.io", resource: "leases" };

/** The record that all candidates compete for. */
class Store {
  record: LeaderElectionRecord | undefined;
  version = 0;
  readonly calls: string[] = [];
  /** A fault before a call is made: an error, or a promise to wait for. */
  fail: (call: string) => Error | Promise<void> | undefined = () => undefined;
}

const never = (): Promise<void> => new Promise(() => {});

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

  /** Ignores its signal. */
  async #call(name: string): Promise<void> {
    this.#store.calls.push(name);
    const trouble = this.#store.fail(name);
    if (trouble instanceof Error) throw trouble;
    await trouble;
  }

  async get(): Promise<LeaderElectionRecord> {
    await this.#call("get");
    if (!this.#store.record) throw notFound(leases, "lock");
    this.#version = this.#store.version;
    return this.#store.record;
  }

  async create(record: LeaderElectionRecord): Promise<void> {
    await this.#call("create");
    if (this.#store.record) throw alreadyExists(leases, "lock");
    this.#store.record = record;
    this.#version = ++this.#store.version;
  }

  async update(record: LeaderElectionRecord): Promise<void> {
    await this.#call("update");
    if (this.#version !== this.#store.version) throw conflict(leases, "lock", "it changed");
    this.#store.record = record;
    this.#version = ++this.#store.version;
  }

  record(text: string): void {
    this.recorded.push(`${this.identity} ${text}`);
  }
}

/** A clock that can advance without firing timers. */
class StallingClock extends FakeClock {
  #stalledMs = 0;

  stall(ms: number): void {
    this.#stalledMs += ms;
  }

  override now(): number {
    return super.now() + this.#stalledMs;
  }

  override monotonic(): number {
    return super.monotonic() + this.#stalledMs;
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

  it("takes a lease whose number of transitions cannot grow", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("", { leaderTransitions: 2_147_483_647 });
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 2_147_483_647 });
    a.stop.abort();
    await a.run;
  });

  it("takes another's lease only if it was not renewed for its duration", async () => {
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
    expect(isNotLeadingError(a.ended())).toBe(true);
  });

  it("is deposed when it reads the time after the event loop stalled past its term", async () => {
    const [store, clock] = [new Store(), new StallingClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    clock.stall(8_999);
    expect(a.elector.leads).toBe(true);
    clock.stall(1); // no timer has fired yet
    expect(() => a.elector.assertLeading()).toThrow("does not lead");
    expect(a.elector.leadership.aborted).toBe(true);
    expect(store.calls).toEqual(["get", "create"]);
    await clock.advance(2_000);
    expect(isNotLeadingError(a.ended())).toBe(true);
  });

  it("releases the lease at the end if configured, so that another takes it at once", async () => {
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

  it("never has two leaders, regardless of failures", async () => {
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

  it("is unhealthy if the lease it holds expired long ago", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    a.elector.checkHealth();
    store.fail = () => new Error("connection refused");
    await clock.advance(36_000);
    expect(() => a.elector.checkHealth(20_000)).toThrow("ns/lock");
  });

  const longest = (2 ** 31 - 1) * 1_000;
  it.each<[Partial<ElectorOptions>, string | undefined]>([
    [{ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 }, "leaseDurationMs must be greater than renewDeadlineMs"],
    [{ leaseDurationMs: 10_001, renewDeadlineMs: 10_000 }, undefined],
    [{ leaseDurationMs: Number.NaN }, "leaseDurationMs must be greater than renewDeadlineMs"],
    [{ renewDeadlineMs: 2_400 }, "renewDeadlineMs must be greater than retryPeriodMs * 1.2"],
    [{ renewDeadlineMs: 2_401 }, undefined],
    [{ retryPeriodMs: 0 }, "retryPeriodMs must be greater than zero"],
    [{ retryPeriodMs: 1 }, undefined],
    [{ leaseDurationMs: longest }, undefined],
    [{ leaseDurationMs: longest + 1 }, "leaseDurationMs must be at most 2147483647000"],
  ])("accepts only consistent durations: %o", (durations, error) => {
    const make = () => new Elector({ lock: new FakeLock(new Store(), "a"), ...durations });
    if (error) expect(make).toThrow(error);
    else expect(make).not.toThrow();
  });

  it("refuses a lock without an identity", () => {
    expect(() => new Elector({ lock: new FakeLock(new Store(), "") })).toThrow("identity is empty");
  });

  it("adds jitter between two tries, so that candidates do not try at once", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("b");
    const a = candidate(store, clock, "a", { random: () => 0.5 });
    await clock.advance(3_199);
    expect(store.calls).toEqual(["get"]);
    await clock.advance(1); // 2,000 * (1 + 0.5 * 1.2)
    expect(store.calls).toEqual(["get", "get"]);
    a.stop.abort();
    await a.run;
  });

  it("is healthy regardless of another's lease", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("b", { leaseDurationSeconds: 600 });
    const a = candidate(store, clock, "a");
    expect(() => a.elector.checkHealth()).not.toThrow();
    await clock.advance(60_000);
    expect(a.elector.leader).toBe("b");
    expect(() => a.elector.checkHealth()).not.toThrow();
    a.stop.abort();
    await a.run;
  });

  it("is healthy until the lease it holds, plus the tolerance, has expired", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    store.fail = () => new Error("connection refused");
    await clock.advance(16_000);
    expect(() => a.elector.checkHealth(1_000)).not.toThrow();
    expect(() => a.elector.checkHealth(999)).toThrow("failed election to renew leadership on lease ns/lock");
  });

  it("reports to metrics and log", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const [events, lines]: [unknown[], string[]] = [[], []];
    const metrics = {
      leading: (...facts: unknown[]) => events.push(facts),
      slowPath: (...facts: unknown[]) => events.push(facts),
    };
    const destination = { write: (line: string) => lines.push(line) };
    const a = candidate(store, clock, "a", { metrics, logger: createLogger({ level: "trace", destination }) });
    await clock.advance(1_000);
    store.fail = (call) => (call === "update" ? new Error("no") : undefined);
    await clock.advance(1_000);
    a.stop.abort();
    await a.run;
    expect(events).toEqual([["ns/lock", false], ["ns/lock", true], ["ns/lock"], ["ns/lock", false]]);
    const logged = lines
      .map((line) => JSON.parse(line))
      .map(({ level, lease, identity, msg }) => [level, lease, identity, msg]);
    expect(logged).toEqual([
      ["info", "ns/lock", "a", "attempting to acquire leader lease"],
      ["info", "ns/lock", "a", "successfully acquired lease"],
      ["warn", "ns/lock", "a", "failed to update lease optimistically"],
      ["error", "ns/lock", "a", "failed to acquire or renew lease"],
      ["info", "ns/lock", "a", "no longer leads: it was stopped"],
    ]);
  });

  it("treats undefined options as missing", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const nothing = {
      leaseDurationMs: undefined,
      renewDeadlineMs: undefined,
      retryPeriodMs: undefined,
      releaseOnCancel: undefined,
      name: undefined,
      logger: undefined,
      metrics: undefined,
    };
    const a = candidate(store, clock, "a", nothing);
    await clock.advance(4_000);
    expect(store.calls).toEqual(["get", "create", "update", "update"]);
    a.stop.abort();
    await a.run;
    expect(new Elector({ lock: new FakeLock(store, "a"), clock: undefined, random: undefined }).leads).toBe(false);
  });

  it("runs once", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    a.stop.abort();
    await a.run;
    await expect(a.elector.run(new AbortController().signal)).rejects.toThrow("has run before");
  });
});

describe("Elector whose calls take long", () => {
  it("is deposed at the renew deadline by a timer, regardless of the lock", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    store.fail = () => (clock.monotonic() < 9_000 ? new Error("connection refused") : never());
    await clock.advance(9_999);
    expect(a.elector.leadership.aborted).toBe(false);
    await clock.advance(1);
    expect(a.elector.leadership.aborted).toBe(true);
    expect(isNotLeadingError(a.ended())).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it("counts its term from sending the renewal, not from the response", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    store.fail = () => clock.sleep(4_000);
    await clock.advance(6_000); // sent at 2,000, answered at 6,000
    store.fail = never;
    await clock.advance(5_999);
    expect(a.elector.leads).toBe(true);
    await clock.advance(1);
    expect(a.elector.leadership.aborted).toBe(true);
  });

  it("has one deadline for the update and for the read and write after a failure", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    store.fail = (call) => (call === "get" ? never() : clock.sleep(4_000).then(() => Promise.reject(new Error("no"))));
    await clock.advance(6_999); // update at 2,000, get at 6,000
    expect(store.calls.slice(2)).toEqual(["update", "get"]);
    store.fail = () => undefined;
    await clock.advance(2_001); // cancelled at 7,000, and retried after the retry period
    expect(store.calls.slice(2)).toEqual(["update", "get", "update"]);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });

  it("ignores a response after the deadline", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(8_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    store.fail = () => promise;
    await clock.advance(10_000);
    expect(isNotLeadingError(a.ended())).toBe(true);
    const renewedAt = store.record?.renewTimeMs;
    store.fail = () => undefined;
    resolve();
    await clock.advance(1_000);
    expect(store.record?.renewTimeMs).not.toBe(renewedAt); // it was applied
    expect(a.elector.leads).toBe(false);
    expect(() => a.elector.assertLeading()).toThrow("does not lead");
    expect(clock.waiting).toBe(0);
  });

  it("ignores a response that a stalled event loop processes too late", async () => {
    const [store, clock] = [new Store(), new StallingClock()];
    const { promise, resolve } = Promise.withResolvers<void>();
    store.fail = () => promise;
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    clock.stall(5_000);
    resolve(); // before the timer of the attempt fires
    await clock.advance(0);
    expect(a.elector.leads).toBe(false);
    a.stop.abort();
    await a.run;
  });

  it("is deposed by its own timer, even if no other timer fires", async () => {
    const store = new Store();
    class ForgetfulClock extends FakeClock {
      override after(ms: number, callback: () => void) {
        return super.after(ms < 10_000 ? 3_600_000 : ms, callback);
      }
    }
    const clock = new ForgetfulClock();
    const a = candidate(store, clock, "a");
    await clock.advance(9_999);
    expect(a.elector.leadership.aborted).toBe(false);
    await clock.advance(1);
    expect(a.elector.leadership.reason).toMatchObject({ message: expect.stringContaining("renewed in time") });
    await a.run;
    expect(isNotLeadingError(a.ended())).toBe(true);
  });

  it("is not blocked by a hanging call", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.fail = () => (store.calls.length === 1 ? never() : undefined);
    const a = candidate(store, clock, "a");
    await clock.advance(7_000);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });

  it("ends at once on abort, even if every call hangs", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.fail = never;
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    a.stop.abort();
    await a.run;
    expect(clock.waiting).toBe(0);
  });
});

describe("Elector whose wall clock is set", () => {
  it.each([-3_600_000, 3_600_000])("keeps leadership when it is set by %i ms", async (ms) => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    clock.setWall(clock.now() + ms);
    await clock.advance(1_000);
    expect(a.elector.leads).toBe(true);
    expect(a.elector.leadership.aborted).toBe(false);
    a.stop.abort();
    await a.run;
  });

  it("does not lead until it has renewed, which it does at once: the machine may have slept", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    clock.setWall(clock.now() + 15_000);
    expect(() => a.elector.assertLeading()).toThrow("the clock jumped, and the lease is being renewed");
    await clock.advance(0);
    expect(store.calls).toEqual(["get", "create", "update"]);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });

  it("renews at once, and continues, if the clock is set the moment it is elected", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    a.elector.events.once("elected", () => clock.setWall(clock.now() + 15_000));
    await clock.advance(0);
    expect(store.calls).toEqual(["get", "create", "update"]);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });

  it.each([
    [4, true],
    [5, false],
  ])("tolerates four writes of others between its reads and writes, not five: %i", async (writes, survives) => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    let left = writes;
    store.fail = (call) => {
      if (call === "update" && left-- > 0) store.version++;
      return undefined;
    };
    clock.setWall(clock.now() + 15_000);
    expect(a.elector.leads).toBe(false);
    await clock.advance(0);
    expect(a.elector.leads).toBe(survives);
    expect(a.elector.leadership.aborted).toBe(!survives);
    a.stop.abort();
    await a.run.catch((error) => expect(isNotLeadingError(error)).toBe(true));
  });

  it("is deposed if another took the lease meanwhile", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    store.record = held("b");
    store.version++;
    clock.setWall(clock.now() + 15_000);
    expect(a.elector.leads).toBe(false);
    await clock.advance(0);
    expect(a.elector.leadership.reason).toMatchObject({ message: "a no longer leads ns/lock: b has the lease" });
  });

  it.each(["refused", "hung"])("has one try with a short timeout: %s", async (trouble) => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    store.fail = () => (trouble === "hung" ? never() : new Error("connection refused"));
    clock.setWall(clock.now() + 15_000);
    expect(a.elector.leads).toBe(false);
    await clock.advance(trouble === "hung" ? 2_000 : 0);
    expect(a.elector.leadership.aborted).toBe(true);
  });

  it.each(["refused", "hung"])("is deposed by the wall clock if renewals already fail: %s", async (trouble) => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(0);
    store.fail = () => (trouble === "hung" ? never() : new Error("connection refused"));
    clock.setWall(clock.now() + 4_000); // the machine slept, or the clock was set
    await clock.advance(5_999);
    expect(a.elector.leadership.aborted).toBe(false);
    await clock.advance(1);
    expect(a.elector.leadership.aborted).toBe(true);
  });

  it("does not begin to lead with a response from before the machine slept", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const { promise, resolve } = Promise.withResolvers<void>();
    store.fail = (call) => (call === "create" ? promise : undefined);
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    clock.setWall(clock.now() + 15_000);
    resolve();
    await clock.advance(0);
    expect(a.lock.recorded).toEqual([]);
    await clock.advance(2_000);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });
});

describe("Elector and changes of the lease by others", () => {
  it("is deposed as soon as it sees another's name on it", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    store.record = held("b");
    store.version++;
    await clock.advance(1_000);
    expect(a.elector.leadership.aborted).toBe(true);
    expect(isNotLeadingError(a.ended())).toBe(true);
  });

  it("recreates it while it leads, and keeps the number of transitions", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("");
    const a = candidate(store, clock, "a");
    await clock.advance(1_000);
    store.record = undefined;
    store.fail = (call) => (call === "update" ? notFound(leases, "lock") : undefined);
    await clock.advance(1_000);
    expect(store.calls).toEqual(["get", "update", "update", "get", "create"]);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 4 });
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });

  it("replaces a deleted one only when its holder can no longer lead", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("b");
    const a = candidate(store, clock, "a");
    await clock.advance(9_000);
    store.record = undefined;
    await clock.advance(15_000);
    expect(a.elector.leads).toBe(false);
    await clock.advance(3_000);
    expect(a.elector.leads).toBe(true);
    expect(store.record).toMatchObject({ holderIdentity: "a", leaderTransitions: 4 });
    a.stop.abort();
    await a.run;
  });

  it.each([
    { seconds: 0, waitsMs: 15_000 },
    { seconds: -5, waitsMs: 15_000 },
    { seconds: Number.NaN, waitsMs: 15_000 },
    { seconds: 4, waitsMs: 4_000 },
    { seconds: 60, waitsMs: 60_000 },
  ])("waits $waitsMs ms for one with $seconds s", async ({ seconds, waitsMs }) => {
    const [store, clock] = [new Store(), new FakeClock()];
    store.record = held("b", { leaseDurationSeconds: seconds, acquireTimeMs: Number.NaN });
    const a = candidate(store, clock, "a");
    await clock.advance(waitsMs - 1);
    expect(a.elector.leads).toBe(false);
    await clock.advance(2_001);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
  });
});

describe("Elector that releases the lease", () => {
  it("retries if another client wrote it meanwhile", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a", { releaseOnCancel: true });
    await clock.advance(1_000);
    let writes = 0;
    store.fail = (call) => {
      if (call === "update" && ++writes <= 3) store.version++;
      return undefined;
    };
    a.stop.abort();
    await clock.advance(200);
    await a.run;
    expect(store.record?.holderIdentity).toBe("");
    expect(a.ended()).toBe("stopped");
  });

  it.each(["conflicts", "hangs"])("gives up at its deadline: %s", async (trouble) => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a", { releaseOnCancel: true });
    await clock.advance(1_000);
    store.fail = (call) => {
      if (call === "update") store.version++;
      return trouble === "hangs" ? never() : undefined;
    };
    a.stop.abort();
    await clock.advance(4_999);
    expect(a.elector.leadership.aborted).toBe(true);
    expect(a.ended()).toBe("running");
    await clock.advance(1);
    await a.run;
    expect(clock.waiting).toBe(0);
  });

  it("reports a failure", async () => {
    const [store, clock, lines]: [Store, FakeClock, string[]] = [new Store(), new FakeClock(), []];
    const logger = createLogger({ destination: { write: (line: string) => lines.push(line) } });
    const a = candidate(store, clock, "a", { releaseOnCancel: true, logger });
    await clock.advance(1_000);
    store.fail = () => new Error("connection refused");
    a.stop.abort();
    await a.run;
    expect(a.ended()).toBe("stopped");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      msg: "failed to release lock",
      err: { message: "connection refused" },
    });
  });

  it("does not release another's", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const a = candidate(store, clock, "a", { releaseOnCancel: true });
    await clock.advance(1_000);
    store.record = held("b");
    a.stop.abort();
    await a.run;
    expect(store.record.holderIdentity).toBe("b");
  });
});

describe("Elector with observers that throw", () => {
  it("leads, and notifies the others", async () => {
    const [store, clock] = [new Store(), new FakeClock()];
    const fail = (): never => {
      throw new Error("an observer");
    };
    const logger = createLogger({ level: "trace", destination: { write: fail } });
    const a = candidate(store, clock, "a", { logger, metrics: { leading: fail, slowPath: fail } });
    a.lock.record = fail;
    const events: string[] = [];
    for (const event of ["elected", "deposed", "leaderChanged"] as const) {
      a.elector.events.on(event, fail);
      a.elector.events.once(event, async () => fail());
      a.elector.events.once(event, () => events.push(`${event} once`));
      a.elector.events.on(event, () => events.push(event));
    }
    await clock.advance(4_000);
    expect(a.elector.leads).toBe(true);
    a.stop.abort();
    await a.run;
    expect(a.ended()).toBe("stopped");
    expect(events).toEqual(["leaderChanged", "elected", "deposed"].flatMap((event) => [`${event} once`, event]));
    expect(a.elector.events.listenerCount("elected")).toBe(2);
  });

  it("reports that one threw", async () => {
    const [store, clock, lines]: [Store, FakeClock, string[]] = [new Store(), new FakeClock(), []];
    const logger = createLogger({ destination: { write: (line: string) => lines.push(line) } });
    const a = candidate(store, clock, "a", { logger });
    a.elector.events.on("elected", () => {
      throw new Error("an observer");
    });
    await clock.advance(1_000);
    a.stop.abort();
    await a.run;
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        lease: "ns/lock",
        msg: "a leader election observer threw an error",
        level: "error",
      }),
    );
  });
});
