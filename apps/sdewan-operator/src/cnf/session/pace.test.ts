import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { firewallRule } from "../../kinds/firewall-rules.ts";
import { startPool } from "../../testing/pool.ts";
import type { Change } from "./change.ts";
import { CnfSlowError, Pace } from "./pace.ts";

const change = (name: string): Change => ({
  kind: firewallRule,
  name,
  origin: { kind: "FirewallRule", key: `default/${name}` },
  desired: { name, target: "DROP" },
  same: (stored) => stored.target === "DROP",
  inForce: false,
});

describe("Pace", () => {
  const maxWaiting = (pace: Pace): number => {
    let waiting = 0;
    while (waiting < 10_000 && pace.rejection(waiting) === undefined) waiting++;
    return waiting;
  };
  async function batch(clock: FakeClock, pace: Pace, requests: number, tookMs: number, failure?: unknown) {
    const time = pace.batch();
    for (let request = 0; request < requests; request++) time.isOver();
    await clock.advance(tookMs);
    time.end(failure);
  }

  it("accepts as many changes as the CNF completes in half a minute, but always a few", async () => {
    const clock = new FakeClock();
    const pace = new Pace(clock);
    expect([maxWaiting(pace), pace.isSlow]).toEqual([10_000, false]);
    await batch(clock, pace, 300, 30_000);
    expect([maxWaiting(pace), pace.isSlow]).toEqual([300, false]);
    await batch(clock, pace, 1, 29_000);
    expect([maxWaiting(pace), pace.isSlow]).toEqual([16, true]);
    expect(pace.rejection(16)).toBeInstanceOf(CnfSlowError);
    for (let round = 0; round < 3; round++) await batch(clock, pace, 10, 10);
    expect([maxWaiting(pace), pace.isSlow]).toEqual([16, false]);
    for (let round = 0; round < 20; round++) await batch(clock, pace, 10, 10);
    expect(maxWaiting(pace)).toBe(10_000);
  });

  it("accepts fewer changes if services take long to restart", () => {
    const pace = new Pace(new FakeClock());
    pace.restarted(10_001);
    expect(maxWaiting(pace)).toBe(64);
    pace.restarted(10_000);
    expect(maxWaiting(pace)).toBe(10_000);
  });

  it("returns the failure of a CNF that does not respond", async () => {
    const clock = new FakeClock();
    const pace = new Pace(clock);
    const failure = new Error("connect timeout");
    await batch(clock, pace, 1, 5_001, failure);
    expect(pace.rejection(16)).toBe(failure);
    await batch(clock, pace, 1, 5_001);
    expect(pace.rejection(16)).toBeInstanceOf(CnfSlowError);
  });

  it("ends a batch that takes too long", async () => {
    const clock = new FakeClock();
    const time = new Pace(clock).batch();
    await clock.advance(30_000);
    expect(time.isOver()).toBe(false);
    await clock.advance(1);
    expect(time.isOver()).toBe(true);
  });

  it("does not count the wait for a turn as time of the CNF", async () => {
    const clock = new FakeClock();
    const pace = new Pace(clock);
    const wait = pace.wait();
    await clock.advance(30_001);
    expect([wait.isOver(), pace.isSlow]).toEqual([true, false]);
  });
});

describe("a CNF that uses the maximum time for each response", () => {
  it("delays others by at most a minute, and then only a few", async () => {
    const { clock, cnf, submit, progressOf } = startPool({ hostile: ["10.0.0.1"] });
    cnf("10.0.0.1").takesMs = 29_000;
    const changes = Array.from({ length: 400 }, (_, index) => change(`r${index}`));
    const all = changes.map((each) => submit("hostile", 0, each));
    await clock.advance(29_000 * 3 + 4_000);
    const { waiting, failed } = progressOf(all);
    expect(waiting).toBeLessThanOrEqual(16);
    expect(failed.filter((error) => error instanceof CnfSlowError).length).toBeGreaterThanOrEqual(380);
    const again = changes.map((each) => submit("hostile", 0, each));
    await clock.advance(1);
    expect(progressOf(again).waiting).toBeLessThanOrEqual(16);
  });

  it("gets its changes, though slowly", async () => {
    const { clock, cnf, submit, progressOf } = startPool({ slow: ["10.0.0.1"] });
    cnf("10.0.0.1").takesMs = 10_000;
    const names = Array.from({ length: 12 }, (_, index) => `r${index}`);
    let open = names;
    for (let round = 0; round < 60 && open.length > 0; round++) {
      const tries = open.map((name) => submit("slow", 0, change(name)));
      await clock.advance(120_000);
      const { done } = progressOf(tries);
      open = open.filter((_, index) => !done.includes(index));
    }
    expect(open).toEqual([]);
    expect([...(cnf("10.0.0.1").collections.get("firewall/v1/rules")?.keys() ?? [])].toSorted()).toEqual(
      names.toSorted(),
    );
  });

  it("does not delay another CNF, even with a thousand pods", async () => {
    const addresses = Array.from({ length: 1_000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    const { clock, cnf, submit, progressOf } = startPool({ hostile: addresses, good: ["10.0.0.2"] });
    for (const address of addresses) cnf(address).takesMs = 29_000;
    const attack = addresses.map((_, index) => submit("hostile", index, change("r")));
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      const good = submit("good", 0, change(`g${minute}`));
      await clock.advance(1_000);
      expect(progressOf([good]).done).toEqual([0]);
    }
    expect(progressOf(attack).waiting).toBeLessThanOrEqual(24);
  });

  it("does not delay another CNF, even forty such CNFs, except for the first minute and a half", async () => {
    const hostile = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`h${index}`, [`10.1.0.${index}`]]));
    const { clock, cnf, submit, progressOf } = startPool({ ...hostile, good: ["10.0.0.2"] });
    for (const [address] of Object.values(hostile)) if (address) cnf(address).takesMs = 29_000;
    for (const purpose of Object.keys(hostile))
      for (let index = 0; index < 10; index++) submit(purpose, 0, change(`r${index}`)).catch(() => {});
    await clock.advance(90_000);
    for (let minute = 0; minute < 5; minute++) {
      for (const purpose of Object.keys(hostile))
        for (let index = 0; index < 10; index++) submit(purpose, 0, change(`r${index}`)).catch(() => {});
      const good = submit("good", 0, change(`g${minute}`));
      await clock.advance(1_000);
      expect(progressOf([good]).done).toEqual([0]);
      await clock.advance(59_000);
    }
  });

  it("gets two reads outside of batches at a time; others are rejected", async () => {
    const { clock, cnf, pool, cluster } = startPool({ hostile: ["10.0.0.1"] });
    const pod = cluster.peek(Pod, "cnfs/hostile-0") ?? expect.unreachable();
    cnf("10.0.0.1").takesMs = 29_000;
    const request = () => pool.request(pod, (api) => api.interfaces());
    const first = request();
    await clock.advance(29_000);
    expect(await first).toEqual([]);
    const next = [request(), request()];
    await clock.advance(0);
    await expect(request()).rejects.toThrow(CnfSlowError);
    await clock.advance(29_000);
    expect(await Promise.all(next)).toEqual([[], []]);
  });
});
