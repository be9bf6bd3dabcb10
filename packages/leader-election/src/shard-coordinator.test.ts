import { alreadyExists, conflict, forbidden, notFound } from "@kubewright/apimachinery";
import { kubeList } from "@kubewright/client";
import type { Lease } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it, vi } from "vitest";
import { isNotLeadingError } from "./leadership-error.ts";
import {
  ShardCoordinator,
  type ShardCoordinatorOptions,
  type ShardNamespaces,
  type ShardTerm,
} from "./shard-coordinator.ts";

const resource = { group: "coordination.k8s.io", resource: "leases" };

/** An API server that stores Leases. */
class LeaseStore {
  readonly leases = new Map<string, Lease>();
  /** Names of Leases that were read one by one. */
  readonly reads: string[] = [];
  #version = 0;

  /** @param isReachable false to fail every call */
  client(isReachable: () => boolean = () => true): ShardCoordinatorOptions["client"] {
    const call = async <T>(answer: () => T): Promise<T> => {
      if (!isReachable()) throw new Error("connection refused");
      return structuredClone(answer());
    };
    return {
      get: (_, key) => call(() => this.#read(typeof key === "string" ? key : key.name)) as never,
      list: async (kind, { labels } = {}) => {
        if (kind.kind === "Namespace") return kubeList([], {}) as never;
        const all = await call(() => [...this.leases.values()]);
        const wanted = Object.entries(labels as Record<string, string>);
        const isWanted = ({ metadata }: Lease) => wanted.every(([name, value]) => metadata.labels?.[name] === value);
        return kubeList(all.filter(isWanted), {}) as never;
      },
      create: (_, object) =>
        call(() => {
          const lease = object as unknown as Lease;
          if (this.leases.has(lease.metadata.name)) throw alreadyExists(resource, lease.metadata.name);
          return this.put(lease);
        }) as never,
      update: (_, object) =>
        call(() => {
          const lease = object as unknown as Lease;
          const { name, resourceVersion } = lease.metadata;
          if (this.#find(name).metadata.resourceVersion !== resourceVersion)
            throw conflict(resource, name, "it changed");
          return this.put(lease);
        }) as never,
      delete: (_, target) =>
        call(() => {
          const { name } = target as { readonly name: string };
          this.#find(name);
          this.leases.delete(name);
        }),
    };
  }

  put(lease: Lease): Lease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    const stored = structuredClone({ ...lease, metadata });
    this.leases.set(metadata.name, stored);
    return stored;
  }

  holderOf(shard: number): string | undefined {
    return this.leases.get(`shop-shard-${shard}`)?.spec?.holderIdentity;
  }

  #read(name: string): Lease {
    this.reads.push(name);
    return this.#find(name);
  }

  #find(name: string): Lease {
    const lease = this.leases.get(name);
    if (!lease) throw notFound(resource, name);
    return lease;
  }
}

/** Replicas that share four shards. */
class Replicas {
  readonly clock = new FakeClock();
  readonly store = new LeaseStore();

  start(identity: string, options: Partial<ShardCoordinatorOptions> = {}) {
    const stop = new AbortController();
    const moves: string[] = [];
    const acquired: number[] = [];
    const network = { isUp: true };
    const coordinator = new ShardCoordinator({
      client: this.store.client(() => network.isUp),
      namespace: "ns",
      id: "shop",
      identity,
      shards: 4,
      clock: this.clock,
      random: () => 0.5,
      metrics: { held: () => {}, moved: (move) => moves.push(move) },
      ...options,
    });
    const worker = coordinator.join({ acquired: (shard) => acquired.push(shard) });
    let outcome: unknown = "running";
    const run = coordinator.run(stop.signal).then(
      () => (outcome = "stopped"),
      (error: unknown) => (outcome = error),
    );
    return { coordinator, worker, stop, moves, acquired, network, run, outcome: () => outcome };
  }

  /** Starts a replica whose worker is ready, and waits until the shards have been divided. */
  async started(identity: string, options?: Partial<ShardCoordinatorOptions>) {
    const replica = this.start(identity, options);
    replica.worker.ready();
    await this.clock.advance(12_000);
    return replica;
  }
}

const termOf = (coordinator: ShardCoordinator, shard: number): ShardTerm => {
  for (let i = 0; i < 10_000; i++) {
    const key = `team-${i}/web`;
    const term = coordinator.shardOf(key) === shard ? coordinator.termOf(key) : undefined;
    if (term) return term;
  }
  throw new Error(`shard ${shard} is not held`);
};

describe("a single replica", () => {
  it("holds all shards at once when its worker is ready, and releases them at the end", async () => {
    const replicas = new Replicas();
    const { coordinator, worker, stop, acquired, run } = replicas.start("a");
    await replicas.clock.advance(60_000);
    expect([coordinator.held, replicas.store.leases.size]).toEqual([[], 0]);
    expect(() => coordinator.check()).toThrow("a sharded controller has not synced");

    worker.ready();
    await replicas.clock.advance(0);
    expect([coordinator.held, acquired]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    expect(coordinator.check()).toContain("holds 4 of 4 shards");

    stop.abort();
    await replicas.clock.advance(0);
    await run;
    expect([0, 1, 2, 3].map((shard) => replicas.store.holderOf(shard))).toEqual(["", "", "", ""]);
    expect([...replicas.store.leases.keys()].filter((name) => name.includes("replica"))).toEqual([]);
    expect(replicas.clock.waiting).toBe(0);
  });

  it("reports each shard that it acquires while it stops as released, no matter how far the requests have come", async () => {
    for (let turns = 0; turns < 20; turns++) {
      const replicas = new Replicas();
      const client = replicas.store.client();
      const create: typeof client.create = async (kind, object, options) => {
        const made = await client.create(kind, object as never, options);
        if (JSON.stringify(object).includes("shop-shard-3"))
          void (async () => {
            for (let turn = 0; turn < turns; turn++) await undefined;
            stop.abort();
          })();
        return made as never;
      };
      const { coordinator, worker, stop, moves, run } = replicas.start("a", { client: { ...client, create } });
      worker.ready();
      await replicas.clock.advance(20_000);
      await run;
      const [acquired, released] = ["acquired", "released"].map((move) => moves.filter((each) => each === move).length);
      expect([turns, released, coordinator.held]).toEqual([turns, acquired, []]);
    }
  });

  it("is not ready before it has read the Leases", async () => {
    const replicas = new Replicas();
    const { coordinator, worker, network } = replicas.start("a");
    network.isUp = false;
    worker.ready();
    await replicas.clock.advance(3_000);
    expect(() => coordinator.check()).toThrow("the Leases cannot be read: connection refused");
    network.isUp = true;
    await replicas.clock.advance(3_000);
    expect(coordinator.check()).toBe("holds 4 of 4 shards; replicas: 1");
  });

  it("notifies a worker that joins later about the shards that it holds", async () => {
    const replicas = new Replicas();
    const { coordinator } = await replicas.started("a");
    const acquired: number[] = [];
    const later = coordinator.join({ acquired: (shard) => acquired.push(shard) });
    await replicas.clock.advance(20_000);
    expect([coordinator.held.length, acquired]).toEqual([4, []]);
    later.ready();
    expect(acquired).toEqual([0, 1, 2, 3]);
  });
});

describe("several replicas", () => {
  it("divide the shards fairly when one joins, and when one leaves", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    const b = await replicas.started("b");
    expect([a.coordinator.held, b.coordinator.held]).toEqual([
      [0, 1],
      [2, 3],
    ]);
    const c = await replicas.started("c");
    expect([a, b, c].map(({ coordinator }) => coordinator.held.length).sort()).toEqual([1, 1, 2]);
    expect([a.moves.filter((move) => move === "released").length, c.moves]).toEqual([2, ["acquired"]]);

    b.stop.abort();
    await replicas.clock.advance(5_000);
    expect(b.outcome()).toBe("stopped");
    expect([a, c].map(({ coordinator }) => coordinator.held.length)).toEqual([2, 2]);
    expect([...a.moves, ...b.moves, ...c.moves]).not.toContain("lost");
  });

  it("take over the shards of a replica that died, within the lease duration and 5 s", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    const b = await replicas.started("b");
    a.network.isUp = false;
    await replicas.clock.advance(10_000);
    expect(a.coordinator.held).toEqual([]);
    expect(b.coordinator.held).toEqual([2, 3]);
    await replicas.clock.advance(10_000);
    expect(b.coordinator.held).toEqual([0, 1, 2, 3]);
    expect(a.coordinator.check()).toMatch(/^holds 0 of 4 shards; .* the Leases cannot be read: connection refused$/);

    a.network.isUp = true;
    await replicas.clock.advance(10_000);
    expect([a.coordinator.held.length, b.coordinator.held.length]).toEqual([2, 2]);
  });

  it("report the holder of each shard, moves that are pending, and what they wait for", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    const term = termOf(a.coordinator, 3);
    term.begin();
    const b = await replicas.started("b");
    await replicas.clock.advance(60_000);
    const rows = ({ coordinator }: typeof a) =>
      coordinator
        .inspect()
        .shards.map(({ shard, holder, state, running, next, transitions }) =>
          [shard, holder, state, running, next ?? "stays", transitions].join(" "),
        );
    expect(rows(a)).toEqual([
      "0 a held 0 stays 0",
      "1 a held 0 stays 0",
      "2 b elsewhere 0 stays 1",
      "3 a releasing 1 b 0",
    ]);
    expect(rows(b)).toEqual([
      "0 a elsewhere 0 stays 0",
      "1 a elsewhere 0 stays 0",
      "2 b held 0 stays 1",
      "3 a elsewhere 0 b 0",
    ]);
    const { forMs = 0 } = a.coordinator.inspect().shards[3] ?? {};
    expect(forMs > 60_000 && forMs < 72_000).toBe(true);
    expect(a.coordinator.inspect()).toMatchObject({
      ...{ identity: "a", replicas: ["a", "b"], moves: { acquired: 4, released: 1, lost: 0 } },
    });
    term.end();
    await replicas.clock.advance(4_000);
    expect(rows(b)[3]).toBe("3 b held 0 stays 1");

    // During an outage, Leases that were last read long ago do not count as expired.
    b.network.isUp = false;
    await replicas.clock.advance(60_000);
    const { error, listedMs = 0 } = b.coordinator.inspect();
    expect([error, listedMs > 55_000, rows(b)[0]]).toEqual(["connection refused", true, "0 a elsewhere 0 stays 0"]);
  });

  it("report shards that no replica holds", async () => {
    const replicas = new Replicas();
    const client = replicas.store.client();
    const update: typeof client.update = async (kind, object, options) => {
      if (JSON.stringify(object).includes("shop-shard-")) throw new Error("forbidden");
      return client.update(kind, object as never, options) as never;
    };
    const create: typeof client.create = async (kind, object, options) => {
      if (JSON.stringify(object).includes("shop-shard-")) throw new Error("forbidden");
      return client.create(kind, object as never, options) as never;
    };
    const b = replicas.start("b", { client: { ...client, create, update } });
    const c = replicas.start("c");
    b.worker.ready();
    await replicas.clock.advance(6_000); // `b` must acquire all shards first
    c.worker.ready();
    await replicas.clock.advance(12_000);
    const states = ({ coordinator }: typeof b) =>
      coordinator
        .inspect()
        .shards.map(({ holder, state, next }) => `${holder || "nobody"} ${state} ${next ?? "stays"}`);
    expect(states(c)).toEqual(["nobody free b", "nobody free b", "c held stays", "c held stays"]);
    expect(states(b)).toEqual(["nobody acquiring b", "nobody acquiring b", "c elsewhere stays", "c elsewhere stays"]);
    expect(b.coordinator.inspect().shards[0]?.forMs).toBeGreaterThan(10_000);

    c.stop.abort();
    await replicas.clock.advance(8_000);
    expect(states(b)).toEqual(Array(4).fill("nobody acquiring b"));
  });

  it("keep their shards after an outage of the API server", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    const b = await replicas.started("b");
    const both = [a, b];
    for (const { network } of both) network.isUp = false;
    await replicas.clock.advance(60_000);
    expect(both.map(({ coordinator }) => coordinator.held)).toEqual([[], []]);
    for (const { network } of both) network.isUp = true;
    await replicas.clock.advance(10_000);
    expect(both.map(({ coordinator }) => coordinator.held)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(a.moves.filter((move) => move !== "lost")).toEqual([
      ...Array(4).fill("acquired"),
      ...Array(2).fill("released"),
      ...Array(2).fill("acquired"),
    ]);
  });

  it("delete the Lease of a replica that died, after some time", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    await replicas.started("b");
    a.network.isUp = false;
    const members = () => [...replicas.store.leases.keys()].filter((name) => name.includes("replica")).length;
    await replicas.clock.advance(30_000);
    expect(members()).toBe(2);
    await replicas.clock.advance(60_000);
    expect(members()).toBe(1);
  });

  it("refuse a replica with another number of shards", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    const b = await replicas.started("b", { shards: 8 });
    const c = await replicas.started("c", { shardBy: "namespace" });
    expect(String(b.outcome())).toContain('into shards "8 by key", but Lease ns/shop-shards records "4 by key"');
    expect(String(c.outcome())).toContain('into shards "4 by namespace", but Lease ns/shop-shards records "4 by key"');
    expect(a.coordinator.held).toHaveLength(4);
  });
});

describe("the namespaces of the shards", () => {
  const namespaces = Array.from({ length: 60 }, (_, at) => `team-${at}`);

  it("are reported before the workers learn of an acquired shard, and until the work on a shard has ended", async () => {
    const replicas = new Replicas();
    const reports: ShardNamespaces[] = [];
    const shardBy = "namespace";
    /** Number of Leases that the replica holds at each report. */
    const leases: number[] = [];
    const onNamespaces = (reported: ShardNamespaces) => {
      reports.push(reported);
      leases.push([0, 1, 2, 3].filter((shard) => replicas.store.holderOf(shard) === "a").length);
    };
    const a = replicas.start("a", { shardBy, onNamespaces });
    const held: string[][] = [];
    const all = a.coordinator.join({
      acquired: () => held.push(namespaces.filter((namespace) => reports.at(-1)?.has(namespace))),
    });
    a.worker.ready();
    all.ready();
    await replicas.clock.advance(12_000);
    expect(held.map(({ length }) => length > 0)).toEqual([true, true, true, true]);
    expect(held.at(-1)).toEqual(namespaces);
    expect(reports.map(({ extent }) => extent)).toEqual(["some", "some", "some", "all"]);

    const busy = [0, 1, 2, 3].map((shard) => termOf(a.coordinator, shard));
    for (const term of busy) term.begin();
    const b = await replicas.started("b", { shardBy });
    expect([a.coordinator.held.length, reports.length]).toEqual([2, 4]);
    for (const term of busy) term.end();
    await replicas.clock.advance(12_000);
    expect(b.coordinator.held.length).toBe(2);
    expect(leases.slice(4)).toEqual([4, 4]); // before the Leases are released
    const last = reports.at(-1);
    const own = namespaces.filter((namespace) => a.coordinator.held.includes(a.coordinator.shardOf(`${namespace}/x`)));
    expect([last?.extent, namespaces.filter((namespace) => last?.has(namespace))]).toEqual(["some", own]);

    a.stop.abort();
    await replicas.clock.advance(12_000);
    expect(reports.at(-1)?.extent).toBe("none");
    b.stop.abort();
    await replicas.clock.advance(12_000);
  });

  it("are no longer reported when the Lease was lost and the work has ended", async () => {
    const replicas = new Replicas();
    const reports: ShardNamespaces[] = [];
    const a = await replicas.started("a", { shardBy: "namespace", onNamespaces: (one) => reports.push(one) });
    const term = termOf(a.coordinator, 0);
    term.begin();
    a.network.isUp = false;
    await replicas.clock.advance(10_000);
    expect([a.coordinator.held, reports.at(-1)?.extent]).toEqual([[], "some"]);
    term.end();
    await replicas.clock.advance(0);
    expect(reports.at(-1)?.extent).toBe("none");
    a.network.isUp = true;
    await replicas.clock.advance(30_000);
    expect(reports.at(-1)?.extent).toBe("all");
    a.stop.abort();
    await replicas.clock.advance(12_000);
  });

  it("are not reported if whole keys are divided", async () => {
    const replicas = new Replicas();
    const reports: ShardNamespaces[] = [];
    const a = await replicas.started("a", { onNamespaces: (one) => reports.push(one) });
    a.stop.abort();
    await replicas.clock.advance(12_000);
    expect(reports).toEqual([]);
  });

  it("are divided by a hash if this program may not list them, and not divided at all if the list fails", async () => {
    const replicas = new Replicas();
    const client = replicas.store.client();
    let error: Error = forbidden({ group: "", resource: "namespaces" }, "", "no");
    const list: typeof client.list = (kind, options) =>
      kind.kind === "Namespace" ? Promise.reject(error) : client.list(kind, options);
    const a = await replicas.started("a", { shardBy: "namespace", client: { ...client, list } });
    expect(a.coordinator.held).toEqual([0, 1, 2, 3]);
    expect(replicas.store.leases.get("shop-shards")?.metadata.annotations).toEqual({
      "kubewright.dev/shards": "4 by namespace",
    });
    a.stop.abort();
    await replicas.clock.advance(12_000);

    replicas.store.leases.delete("shop-shards");
    error = new Error("connection refused");
    const b = await replicas.started("b", { shardBy: "namespace", client: { ...client, list } });
    expect([b.coordinator.held, replicas.store.leases.has("shop-shards")]).toEqual([[], false]);
    b.stop.abort();
    await replicas.clock.advance(12_000);
  });
});

describe("work on a shard", () => {
  it("ends before another replica acquires the shard, and no other work begins meanwhile", async () => {
    const replicas = new Replicas();
    const a = await replicas.started("a");
    const term = termOf(a.coordinator, 3);
    term.begin();
    replicas.store.reads.length = 0;
    const b = await replicas.started("b");
    await replicas.clock.advance(60_000);
    expect(replicas.store.reads).not.toContain("shop-shard-3"); // the list shows that it is not free
    expect([a.coordinator.held, b.coordinator.held, replicas.store.holderOf(3)]).toEqual([[0, 1], [2], "a"]);
    expect(() => termOf(a.coordinator, 3)).toThrow("not held");
    term.elector.assertLeading();

    await replicas.clock.advance(700); // right after the Leases were read
    term.end();
    await replicas.clock.advance(2_000);
    expect(b.coordinator.held).toEqual([2, 3]);
    expect(() => term.elector.assertLeading()).toThrow("does not lead");
  });

  it("is cancelled when the Lease is lost, and may end within the rest of the lease duration", async () => {
    const replicas = new Replicas();
    const { coordinator, network, outcome } = await replicas.started("a");
    const term = termOf(coordinator, 1);
    term.begin();
    network.isUp = false;
    await replicas.clock.advance(10_000);
    expect(term.elector.leadership.aborted).toBe(true);
    await replicas.clock.advance(4_900);
    term.end();
    network.isUp = true;
    await replicas.clock.advance(10_000);
    expect([outcome(), coordinator.held.length]).toEqual(["running", 4]);
    expect(termOf(coordinator, 1)).not.toBe(term);
  });

  it("is cancelled when the Lease is lost while the shard is being given up, which does not count as a release", async () => {
    const replicas = new Replicas();
    const { coordinator, network, moves, outcome } = await replicas.started("a");
    const term = termOf(coordinator, 3);
    term.begin();
    await replicas.started("b");
    expect(moves).toEqual([...Array(4).fill("acquired"), "released"]);
    network.isUp = false;
    await replicas.clock.advance(10_000);
    expect(term.elector.leadership.aborted).toBe(true);
    term.end();
    await replicas.clock.advance(5_000);
    expect([moves.slice(5), outcome()]).toEqual([["lost", "lost", "lost"], "running"]);
  });

  it("ends the replica if it continues for longer after the Lease was lost", async () => {
    const replicas = new Replicas();
    const { coordinator, network, outcome } = await replicas.started("a");
    termOf(coordinator, 1).begin();
    network.isUp = false;
    await replicas.clock.advance(20_000);
    expect(isNotLeadingError(outcome())).toBe(true);
    expect(String(outcome())).toContain(
      "work on shard 1 continues although its Lease was lost 5000 ms ago (reconciles: 1)",
    );
  });

  it("ends the replica on time even if the API server does not respond", async () => {
    const replicas = new Replicas();
    const client = { ...replicas.store.client(), delete: () => new Promise<never>(() => {}) };
    const { coordinator, outcome } = await replicas.started("a", { client });
    termOf(coordinator, 1).begin();
    client.update = () => new Promise<never>(() => {});
    client.get = () => new Promise<never>(() => {});
    await replicas.clock.advance(15_100);
    expect(isNotLeadingError(outcome())).toBe(true);
  });

  it("delays the release of its shard if a write was cancelled that may still arrive", async () => {
    const replicas = new Replicas();
    const { coordinator, stop, outcome } = await replicas.started("a");
    termOf(coordinator, 1).abandoned();
    stop.abort();
    await replicas.clock.advance(4_900);
    expect([outcome(), replicas.store.holderOf(1), replicas.store.holderOf(2)]).toEqual(["running", "a", ""]);
    await replicas.clock.advance(100);
    expect([outcome(), replicas.store.holderOf(1)]).toEqual(["stopped", ""]);
  });

  it("ends before the shards are released at the end", async () => {
    const replicas = new Replicas();
    const { coordinator, stop, outcome } = await replicas.started("a");
    const term = termOf(coordinator, 1);
    term.begin();
    stop.abort();
    await replicas.clock.advance(60_000);
    expect([outcome(), replicas.store.holderOf(1), replicas.store.holderOf(2)]).toEqual(["running", "a", ""]);
    term.end();
    await replicas.clock.advance(0);
    expect([outcome(), replicas.store.holderOf(1)]).toEqual(["stopped", ""]);
  });
});

it("ends with the error of a worker", async () => {
  const replicas = new Replicas();
  const replica = replicas.start("a");
  const error = new Error("no");
  const worker = replica.coordinator.join({ acquired: vi.fn().mockThrow(error) });
  replica.worker.ready();
  worker.ready();
  await replicas.clock.advance(0);
  expect(replica.outcome()).toBe(error);
});

it.each([
  [{ shards: 0 }, "shards must be a whole number from 1 to 1000, got 0"],
  [{ shards: 1.5 }, "got 1.5"],
  [{ shards: 1_001 }, "got 1001"],
  [{ shardBy: "name" as "key" }, 'shardBy must be "key" or "namespace", got "name"'],
  [{ id: "" }, "it is empty"],
  [{ id: "Shop" }, 'the sharding ID "Shop" cannot be used'],
  [{ id: "s".repeat(64) }, "must be no more than 63"],
  [{ identity: "" }, "the sharding identity is empty"],
  [{ leaseDurationMs: 1_000 }, "leaseDurationMs must be greater"],
])("refuses %j", (options, message) => {
  expect(() => new Replicas().start("a", options)).toThrow(message);
});
