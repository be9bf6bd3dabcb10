import { Client } from "@kubewright/client";
import { Lease } from "@kubewright/client/kinds";
import { untilAborted } from "@kubewright/clock";
import { Environment } from "@kubewright/envtest";
import type { LeaderElectionRecord } from "@kubewright/leader-election";
import { silentLogger } from "@kubewright/log";
import { type LeaderElectionOptions, Manager, type Runnable } from "@kubewright/manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alone, memoryLock, runningManager } from "./running-manager.ts";

describe("leader election", () => {
  it("MG-032 requires a namespace if none can be found", async () => {
    const manager = new Manager({ ...alone, leaderElection: { id: "x" } });
    await expect(manager.run(AbortSignal.timeout(5_000))).rejects.toThrow(
      "not running in-cluster, please specify leaderElection.namespace",
    );
  });

  it("MG-035 limits a request for the lock to half the renew deadline, which is 10 s by default", async () => {
    for (const [renewDeadlineMs, limitMs] of [
      [undefined, 5_000],
      [6_000, 3_000],
    ] as const) {
      const lock = memoryLock("me");
      let gaveUpAfter: number | undefined;
      const hanging = {
        ...lock,
        update: (_record: LeaderElectionRecord, signal: AbortSignal) => {
          const since = clock.monotonic();
          return new Promise<void>((_resolve, reject) =>
            signal.addEventListener("abort", () => {
              gaveUpAfter ??= clock.monotonic() - since;
              reject(signal.reason);
            }),
          );
        },
      };
      const times = renewDeadlineMs === undefined ? {} : { renewDeadlineMs };
      const { clock, ended } = runningManager({ leaderElection: { id: "x", lock: hanging, ...times } });
      await clock.advance(60_000);
      await ended;
      expect(gaveUpAfter).toBe(limitMs);
    }
  });

  it("refuses inconsistent times when it is created", () => {
    const leaderElection = { id: "x", namespace: "default", renewDeadlineMs: 20_000 };
    expect(() => new Manager({ ...alone, leaderElection })).toThrow(/renewDeadlineMs/);
  });

  it("MG-037 lets one of two with the same id lead, and starts only its work", async () => {
    const store = {};
    const led: string[] = [];
    const work = (name: string): Runnable => ({
      run: (signal) => {
        led.push(name);
        return untilAborted(signal);
      },
    });
    const first = runningManager({ leaderElection: { id: "x", lock: memoryLock("first", store) } }, work("first"));
    await first.clock.advance(0);
    const second = runningManager({ leaderElection: { id: "x", lock: memoryLock("second", store) } }, work("second"));
    let isElected = false;
    void second.manager.elected.then(() => {
      isElected = true;
    });
    for (let second_ = 0; second_ < 60; second_++) {
      await first.clock.advance(1_000);
      await second.clock.advance(1_000);
    }
    expect([led, isElected]).toEqual([["first"], false]);
    await second.end();
    await first.end();
  });

  it("MG-038 leads until all runnables have ended", async () => {
    const store: { record?: LeaderElectionRecord } = {};
    const slow: Runnable = {
      run: async (signal) => {
        await untilAborted(signal);
        await clock.sleep(9_000);
      },
    };
    const leaderElection = { id: "x", lock: memoryLock("me", store), releaseOnCancel: true };
    const { clock, stop, ended } = runningManager({ leaderElection }, slow);
    await clock.advance(0);
    stop.abort();
    await clock.advance(8_999);
    const renewed = store.record?.renewTimeMs ?? 0;
    expect([store.record?.holderIdentity, clock.now() - renewed < 2_500]).toEqual(["me", true]);
    await clock.advance(1);
    await ended;
    expect(store.record?.holderIdentity).toBe("");
  });
});

describe("leader election with a Lease", () => {
  let env: Environment;
  let client: Client;
  beforeAll(async () => {
    env = await Environment.start();
    client = new Client({ connection: env.connection() });
  });
  afterAll(async () => {
    await client.close();
    await env.stop();
  });

  async function elected(leaderElection: LeaderElectionOptions): Promise<() => Promise<void>> {
    const manager = new Manager({
      connection: env.connection(),
      metrics: { bindAddress: "0" },
      logger: silentLogger,
      leaderElection,
    });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await Promise.race([manager.elected, running]);
    return async () => {
      stop.abort();
      await running;
    };
  }

  it("MG-033 locks with a Lease, or with exactly the given lock", async () => {
    const end = await elected({ id: "by-lease", namespace: "default", identity: "me" });
    expect((await client.get(Lease, "default/by-lease")).spec?.holderIdentity).toBe("me");
    await end();
    const store: { record?: LeaderElectionRecord } = {};
    const endOther = await elected({ id: "by-hand", namespace: "default", lock: memoryLock("hand", store) });
    expect(store.record?.holderIdentity).toBe("hand");
    await expect(client.get(Lease, "default/by-hand")).rejects.toThrow("not found");
    await endOther();
  });

  it("MG-034 puts labels on the Lease", async () => {
    const end = await elected({ id: "labelled", namespace: "default", labels: { my: "label" } });
    expect((await client.get(Lease, "default/labelled")).metadata.labels).toEqual({ my: "label" });
    await end();
  });

  it("MG-039 releases the Lease at the end on request", async () => {
    for (const [id, releaseOnCancel, holder] of [
      ["kept", false, "me"],
      ["released", true, ""],
    ] as const) {
      const end = await elected({ id, namespace: "default", identity: "me", releaseOnCancel });
      await end();
      expect((await client.get(Lease, `default/${id}`)).spec?.holderIdentity ?? "").toBe(holder);
    }
  });
});
