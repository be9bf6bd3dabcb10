import { FakeClock } from "@kubewright/clock/testing";
import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { Tracer } from "@kubewright/tracing";
import { recordSpans } from "@kubewright/tracing/testing";
import { describe, expect, it } from "vitest";
import { cnfRoute } from "../../kinds/cnf-route.ts";
import { firewallRule } from "../../kinds/firewall-rules.ts";
import { firewallZone } from "../../kinds/firewall-zone.ts";
import { ipsecHost } from "../../kinds/ipsec-remotes.ts";
import { sdewanApplication } from "../../kinds/sdewan-application.ts";
import { FakeCnf } from "../../testing/fake-cnf.ts";
import type { CnfKind } from "../../uci/cnf-kind.ts";
import type { CnfCollection } from "../cnf-api.ts";
import type { Change } from "./change.ts";
import { CnfSession } from "./session.ts";

const rules = "firewall/v1/rules";

function changeTo(kind: Pick<CnfKind, "path" | "rank" | "service">, name: string, more: Partial<Change> = {}): Change {
  const desired = { name, target: "DROP" };
  const origin = { kind: "Any", key: `default/${name}` };
  return { kind, name, origin, desired, same: (stored) => stored.target === "DROP", inForce: false, ...more };
}

function start() {
  const cnf = new FakeCnf();
  const clock = new FakeClock();
  return { cnf, clock, session: new CnfSession(cnf, { clock }) };
}

/** Returns the current state of a promise without waiting for it. */
function watched<T>(promise: Promise<T>): { result?: T; error?: unknown } {
  const seen: { result?: T; error?: unknown } = {};
  promise.then(
    (result) => Object.assign(seen, { result }),
    (error: unknown) => Object.assign(seen, { error }),
  );
  return seen;
}

describe("CnfSession", () => {
  it("writes many changes with one read of their collection and one restart of their service", async () => {
    const { cnf, clock, session } = start();
    const all = Promise.all(
      Array.from({ length: 200 }, (_, index) => session.submit(changeTo(firewallRule, `r${index}`))),
    );
    await clock.advance(1_000);
    await all;
    expect(cnf.requests.length).toBe(202);
    expect(cnf.requests.at(0)).toBe(`GET ${rules}`);
    expect(cnf.requests.at(-1)).toBe("reload firewall");
  });

  /** Starts a session with a CNF that takes this long for each write, and records when each change was done. */
  function startSlow(writeMs: number) {
    const clock = new FakeClock();
    class SlowCnf extends FakeCnf {
      override collection(path: string): CnfCollection {
        const { create, update, delete: remove, ...reads } = super.collection(path);
        return {
          ...reads,
          create: (object) => clock.sleep(writeMs).then(() => create(object)),
          update: (name, object) => clock.sleep(writeMs).then(() => update(name, object)),
          delete: (name) => clock.sleep(writeMs).then(() => remove(name)),
        };
      }
    }
    const cnf = new SlowCnf();
    const session = new CnfSession(cnf, { clock });
    const beganMs = clock.monotonic();
    const doneMs = new Map<string, number>();
    const submit = (kind: CnfKind, name: string, more: Partial<Change> = {}): void =>
      void session.submit(changeTo(kind, name, more)).then(() => doneMs.set(name, clock.monotonic() - beganMs));
    return { cnf, clock, session, submit, doneMs };
  }

  it("reports a change that needs no restart as soon as it is written", async () => {
    const { clock, submit, doneMs } = startSlow(100);
    for (let index = 0; index < 8; index++) submit(cnfRoute, `r${index}`);
    await clock.advance(2_000);
    expect([...doneMs.values()]).toEqual(Array.from({ length: 8 }, (_, index) => 20 + 100 * (index + 1)));
  });

  it("brings the first of many changes into force long before it writes the last", async () => {
    const { cnf, clock, submit, doneMs } = startSlow(200);
    for (let index = 0; index < 100; index++) submit(firewallRule, `r${index}`);
    await clock.advance(60_000);
    expect(doneMs.size).toBe(100);
    expect(Math.min(...doneMs.values())).toBeLessThan(5_500);
    expect(Math.max(...doneMs.values())).toBeLessThan(23_000);
    expect(cnf.requests.filter((request) => request.startsWith("GET")).length).toBeLessThanOrEqual(20);
    expect(cnf.requests.filter((request) => request === "reload firewall").length).toBeLessThanOrEqual(6);
  });

  it("writes newer changes before the rest of a long batch, and still writes the rest", async () => {
    const { clock, submit, doneMs } = startSlow(200);
    for (let index = 0; index < 100; index++) submit(cnfRoute, `r${index}`);
    await clock.advance(5_100);
    submit(cnfRoute, "urgent");
    await clock.advance(3_000);
    expect(doneMs.get("urgent")).toBeLessThan(8_000);
    expect(doneMs.get("r99")).toBeUndefined();
    for (let index = 0; index < 40; index++) {
      submit(cnfRoute, `later${index}`);
      await clock.advance(800);
    }
    expect(doneMs.get("r99")).toBeLessThan(30_000);
    expect(doneMs.size).toBe(141);
  });

  it("retries a refused deletion after the last write that may release the object, not before", async () => {
    const { cnf, clock, submit, doneMs } = startSlow(300);
    cnf.collections.set("firewall/v1/zones", new Map([["zone", { name: "zone" }]]));
    let written = 0;
    cnf.fail = (request) => {
      if (request.startsWith("POST")) written++;
      return request.startsWith("DELETE") && written < 8 ? new OpenWrtError(400, "in use") : undefined;
    };
    submit(firewallZone, "zone", { desired: undefined });
    for (let index = 0; index < 8; index++) submit(firewallRule, `r${index}`);
    await clock.advance(20_000);
    expect(doneMs.get("zone")).toBeDefined();
    expect(doneMs.size).toBe(9);
  });

  it("rejects the changes that a full batch left over if the session is closed in the meantime", async () => {
    const { clock, session } = startSlow(600);
    const seen = ["a", "b", "c", "d"].map((name) => watched(session.submit(changeTo(cnfRoute, name))));
    await clock.advance(700);
    const closed = session.close(new Error("over"));
    await clock.advance(2_000);
    await closed;
    expect(seen.map(({ result, error }) => result ?? (error instanceof Error && error.message))).toEqual([
      { changed: true },
      "over",
      "over",
      "over",
    ]);
  });

  it("makes a change that a caller requests just after another one has finished", async () => {
    for (let steps = 0; steps < 12; steps++) {
      const { cnf, clock, session } = start();
      const both = (async () => {
        await session.submit(changeTo(firewallRule, "a"));
        for (let step = 0; step < steps; step++) await Promise.resolve();
        await session.submit(changeTo(firewallRule, "b"));
        return true;
      })();
      await clock.advance(10_000);
      await clock.advance(10_000);
      expect([steps, await Promise.race([both, Promise.resolve().then(() => cnf.requests)])]).toEqual([steps, true]);
    }
  });

  it("reads a single object by its name", async () => {
    const { cnf, clock, session } = start();
    const one = session.submit(changeTo(firewallRule, "a"));
    await clock.advance(1_000);
    expect(await one).toEqual({ changed: true });
    expect(cnf.requests).toEqual([`GET ${rules}/a`, `POST ${rules} a`, "reload firewall"]);
  });

  it("reports a change as done only after the restart that covers it", async () => {
    const { clock, session } = start();
    const seen = watched(session.submit(changeTo(firewallRule, "a")));
    await clock.advance(100);
    expect(seen).toEqual({});
    await clock.advance(200);
    expect(seen).toEqual({ result: { changed: true } });
  });

  it("traces a batch in its own span, linked to the span of each change", async () => {
    using recording = recordSpans();
    const tracer = new Tracer("test");
    const { clock, session } = start();
    const submit = (name: string) =>
      tracer.within(name, {}, async () => void (await session.submit(changeTo(firewallRule, name))));
    const all = Promise.all([submit("a"), submit("b"), session.submit(changeTo(firewallRule, "nobody's"))]);
    await clock.advance(1_000);
    await all;
    const [a, b] = recording.spans.map((span) => span.spanContext());
    for (const name of ["cnf changes", "cnf restart"])
      expect(recording.named(name)).toMatchObject([
        {
          parentSpanId: undefined,
          links: [{ context: a }, { context: b }],
          attributes: { "kubewright.cnf.changes": 3 },
          hasEnded: true,
        },
      ]);
  });

  it("restarts a service once for an explicit request and for changes that wait for it", async () => {
    const { cnf, clock, session } = start();
    const ipsec = { name: "ipsec", action: "restart" } as const;
    const outcomes = [watched(session.restart(ipsec)), watched(session.submit(changeTo(ipsecHost, "a")))];
    expect(outcomes).toEqual([{}, {}]);
    await clock.advance(1_000);
    expect(outcomes).toEqual([{ result: undefined }, { result: { changed: true } }]);
    expect(cnf.requests.filter((request) => request === "restart ipsec")).toHaveLength(1);
  });

  it("reports why a service was not restarted", async () => {
    const { cnf, clock, session } = start();
    cnf.fail = () => new OpenWrtError(500, "no");
    const failed = watched(session.restart({ name: "ipsec", action: "restart" }));
    await clock.advance(1_000);
    expect(failed.error).toMatchObject({ code: 500 });
    const pending = watched(session.restart({ name: "ipsec", action: "restart" }));
    await session.close(new Error("over"));
    expect(pending.error).toMatchObject({ message: "over" });
    await expect(session.restart({ name: "ipsec", action: "restart" })).rejects.toThrow("over");
  });

  it("does not restart a service if the CNF applies changes on its own", async () => {
    const { cnf, clock, session } = start();
    const one = session.submit(changeTo(sdewanApplication, "a"));
    await clock.advance(50);
    expect(await one).toEqual({ changed: true });
    expect(cnf.requests).toEqual(["GET application/v1/applications/a", "POST application/v1/applications a"]);
  });

  it("writes referenced objects first, and deletes them last", async () => {
    const { cnf, clock, session } = start();
    const created = Promise.all([
      session.submit(changeTo(firewallRule, "rule")),
      session.submit(changeTo(firewallZone, "zone")),
    ]);
    await clock.advance(1_000);
    await created;
    const deleted = Promise.all([
      session.submit(changeTo(firewallZone, "zone", { desired: undefined })),
      session.submit(changeTo(firewallRule, "rule", { desired: undefined })),
    ]);
    await clock.advance(2_000);
    await deleted;
    expect(cnf.requests.filter((request) => !request.startsWith("GET"))).toEqual([
      "POST firewall/v1/zones zone",
      `POST ${rules} rule`,
      "reload firewall",
      `DELETE ${rules}/rule`,
      "DELETE firewall/v1/zones/zone",
      "reload firewall",
    ]);
  });

  it("only reads if the CNF has the desired objects and they are in force", async () => {
    const { cnf, clock, session } = start();
    await cnf.collection(rules).create({ name: "a", target: "DROP" });
    const one = session.submit(changeTo(firewallRule, "a", { inForce: true }));
    await clock.advance(100);
    expect(await one).toEqual({ changed: false });
    expect(cnf.requests.slice(1)).toEqual([`GET ${rules}/a`]);
  });

  it("restarts a service for objects that it finds written but cannot know to be in force", async () => {
    const { cnf, clock, session } = start();
    await cnf.collection(rules).create({ name: "a", target: "DROP" });
    const one = session.submit(changeTo(firewallRule, "a"));
    await clock.advance(1_000);
    expect(await one).toEqual({ changed: false });
    expect(cnf.requests.at(-1)).toBe("reload firewall");
  });

  it("repeats a failed restart until one succeeds", async () => {
    const { cnf, clock, session } = start();
    cnf.fail = (request) => (request === "reload firewall" ? new OpenWrtError(500, "broken") : undefined);
    const failed = watched(session.submit(changeTo(firewallRule, "a")));
    await clock.advance(1_000);
    expect(failed.error).toMatchObject({ code: 500 });
    cnf.fail = () => undefined;
    const again = session.submit(changeTo(firewallRule, "a", { inForce: true }));
    await clock.advance(2_000);
    expect(await again).toEqual({ changed: false });
    expect(cnf.requests.filter((request) => request === "reload firewall")).toHaveLength(2);
  });

  it("makes the other changes although one is refused", async () => {
    const { cnf, clock, session } = start();
    cnf.fail = (request) => (request === `POST ${rules} bad` ? new OpenWrtError(400, "no") : undefined);
    const bad = watched(session.submit(changeTo(firewallRule, "bad")));
    const good = watched(session.submit(changeTo(firewallRule, "good")));
    await clock.advance(1_000);
    expect(bad.error).toMatchObject({ code: 400 });
    expect(good.result).toEqual({ changed: true });
  });

  it("sends no further requests to a CNF that cannot be reached", async () => {
    const { cnf, clock, session } = start();
    cnf.fail = () => new TypeError("connect ECONNREFUSED");
    const all = [1, 2, 3].map((number) => watched(session.submit(changeTo(firewallRule, `r${number}`))));
    await clock.advance(1_000);
    expect(all.map(({ error }) => (error instanceof Error ? error.message : ""))).toEqual(
      Array(3).fill("connect ECONNREFUSED"),
    );
    expect(cnf.requests).toHaveLength(1);
  });

  it("retries a refused deletion once the writes of the batch may have released the object", async () => {
    const { cnf, clock, session } = start();
    await cnf.collection("firewall/v1/zones").create({ name: "zone" });
    let released = false;
    cnf.fail = (request) => {
      if (request.startsWith("POST")) released = true;
      return request.startsWith("DELETE") && !released ? new OpenWrtError(400, "zone is used") : undefined;
    };
    const deleted = session.submit(changeTo(firewallZone, "zone", { desired: undefined }));
    const written = session.submit(changeTo(firewallRule, "rule"));
    await clock.advance(1_000);
    expect(await Promise.all([deleted, written])).toEqual([{ changed: true }, { changed: true }]);
  });

  it("restarts a service within its time limit although changes keep arriving", async () => {
    const { cnf, clock, session } = start();
    const all: Promise<unknown>[] = [];
    for (let index = 0; index < 60; index++) {
      all.push(session.submit(changeTo(firewallRule, `r${index}`)));
      await clock.advance(100);
    }
    const before = cnf.requests.filter((request) => request === "reload firewall").length;
    expect(before).toBe(1);
    await clock.advance(5_000);
    await Promise.all(all);
    expect(cnf.requests.filter((request) => request === "reload firewall")).toHaveLength(2);
  });

  it("replaces objects that the CNF has twice", async () => {
    const { cnf, clock, session } = start();
    const twins = [
      { name: "a", target: "DROP" },
      { name: "a", target: "DROP" },
    ];
    const collection = cnf.collection(rules);
    cnf.collection = () => ({ ...collection, list: async () => twins });
    const all = Promise.all([session.submit(changeTo(firewallRule, "a")), session.submit(changeTo(firewallRule, "b"))]);
    await clock.advance(1_000);
    await all;
    expect(cnf.requests).toContain(`PUT ${rules}/a`);
  });

  it("notices the loss of an object", async () => {
    const { cnf, clock, session } = start();
    const all = Promise.all([session.submit(changeTo(firewallRule, "a")), session.submit(changeTo(firewallRule, "b"))]);
    await clock.advance(1_000);
    await all;
    expect(await session.missing()).toEqual([]);
    cnf.collections.get(rules)?.delete("b");
    expect(await session.missing()).toEqual([{ kind: "Any", key: "default/b" }]);
    expect(await session.missing()).toEqual([]);
  });

  it("notices the loss of an object while a change that waits for it is in progress", async () => {
    const { cnf, clock, session } = start();
    const zones = firewallZone.path;
    const names = ["a", "b", "c"];
    const held = Promise.all([
      session.submit(changeTo(firewallZone, "wan")),
      ...names.map((name) => session.submit(changeTo(firewallRule, name))),
    ]);
    await clock.advance(1_000);
    await held;
    cnf.collections.get(zones)?.delete("wan");
    for (const name of names) cnf.collections.get(rules)?.delete(name);
    cnf.collections.get(rules)?.set("b", { name: "b", target: "ACCEPT" });
    cnf.fail = (request) => (request.startsWith("POST") ? new OpenWrtError(428, "no zone wan") : undefined);
    const refused = expect(session.submit(changeTo(firewallRule, "a"))).rejects.toThrow("no zone wan");
    const keys = ["wan", "c", "b"].map((name) => ({ kind: "Any", key: `default/${name}` }));
    expect(await session.missing()).toEqual(keys);
    await clock.advance(1_000);
    await refused;
    expect(await session.missing()).toEqual([keys[2], { kind: "Any", key: "default/a" }].toReversed());
  });

  it.each([
    { when: "during the read of the list", gated: "list" },
    { when: "during the read of the object", gated: "item" },
  ] as const)(
    "does not treat an object as changed or lost if it was reverted $when, and notices the same change again",
    async ({ gated }) => {
      const { cnf, clock, session } = start();
      const plain = cnf.collection.bind(cnf);
      const gate = Promise.withResolvers<void>();
      const gates = new Set<string>();
      const late = async <T>(response: Promise<T>, where: string): Promise<T> => {
        const isLate = gates.delete(where);
        const given = await response;
        if (isLate) await gate.promise;
        return given;
      };
      cnf.collection = (path) => {
        const collection = plain(path);
        const { list, get } = collection;
        return { ...collection, list: () => late(list(), "list"), get: (name) => late(get(name), "item") };
      };
      const put = async (names: readonly string[]): Promise<void> => {
        const all = Promise.all(names.map((name) => session.submit(changeTo(firewallRule, name))));
        await clock.advance(10_000);
        await all;
      };
      await put(["a", "b"]);
      cnf.collections.get(rules)?.set("a", { name: "a", target: "ACCEPT" });
      if (gated === "list") cnf.collections.get(rules)?.delete("b");
      gates.add(gated);
      const looked = session.missing();
      await clock.advance(0);
      expect(gates.size).toBe(0);
      await put(["a", "b"]);
      gate.resolve();
      expect(await looked).toEqual([]);
      cnf.collections.get(rules)?.set("a", { name: "a", target: "ACCEPT" });
      cnf.collections.get(rules)?.delete("b");
      expect(await session.missing()).toHaveLength(2);
    },
  );

  it.each([
    { kind: "an answer", error: new OpenWrtError(500, "uci: I/O error"), found: ["wan", "c"] },
    { kind: "no answer", error: new OpenWrtNetworkError("GET", "other side closed"), found: ["wan"] },
  ])("returns the losses that it found although another list fails with $kind", async ({ error, found }) => {
    const { cnf, clock, session } = start();
    const kinds = [firewallZone, firewallRule, cnfRoute];
    const held = Promise.all(
      kinds.map((kind, index) => session.submit(changeTo(kind, ["wan", "a", "c"][index] ?? ""))),
    );
    await clock.advance(1_000);
    await held;
    cnf.fail = (request) => (request === `GET ${rules}` ? error : undefined);
    await expect(session.missing()).rejects.toBe(error);
    for (const objects of cnf.collections.values()) objects.clear();
    const keys = found.map((name) => ({ kind: "Any", key: `default/${name}` }));
    expect(await session.missing()).toEqual(keys);
    cnf.fail = () => undefined;
    expect(await session.missing()).toHaveLength(kinds.length - found.length);
  });

  it("sends no further requests once it is closed", async () => {
    const { cnf, clock, session } = start();
    const held = Promise.all([
      session.submit(changeTo(firewallZone, "wan")),
      session.submit(changeTo(firewallRule, "a")),
    ]);
    await clock.advance(1_000);
    await held;
    cnf.requests.length = 0;
    const looked = session.missing();
    await session.close(new Error("the end"));
    expect(await looked).toEqual([]);
    expect(cnf.requests).toEqual([`GET ${firewallZone.path}`]);
  });

  it("rejects unfinished changes when it is closed", async () => {
    const { clock, session } = start();
    const seen = watched(session.submit(changeTo(firewallRule, "a")));
    await clock.advance(100);
    await session.close(new Error("the end"));
    await clock.advance(0);
    expect(seen.error).toMatchObject({ message: "the end" });
    await expect(session.submit(changeTo(firewallRule, "b"))).rejects.toThrow("the end");
  });
});
