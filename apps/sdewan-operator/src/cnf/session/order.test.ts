import { FakeClock } from "@kubewright/clock/testing";
import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { cnfNat } from "../../kinds/cnf-nat.ts";
import { cnfRoute } from "../../kinds/cnf-route.ts";
import { cnfRouteRule } from "../../kinds/cnf-route-rule.ts";
import { firewallRule, networkFirewallRule } from "../../kinds/firewall-rules.ts";
import { FakeCnf } from "../../testing/fake-cnf.ts";
import type { CnfKind } from "../../uci/cnf-kind.ts";
import { compareOrder } from "../../uci/order.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { CnfCollection } from "../cnf-api.ts";
import type { Change } from "./change.ts";
import type { Effect } from "./gathering.ts";
import { CnfSession } from "./session.ts";

/** CNF that takes this long for each write. */
class SlowCnf extends FakeCnf {
  writeMs = 0;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    super();
    this.#clock = clock;
  }

  override collection(path: string): CnfCollection {
    const { create, update, ...others } = super.collection(path);
    const wait = (): Promise<void> => (this.writeMs > 0 ? this.#clock.sleep(this.writeMs) : Promise.resolve());
    return {
      ...others,
      create: (object) => wait().then(() => create(object)),
      update: (name, object) => wait().then(() => update(name, object)),
    };
  }
}

/** CNF with a chain of the kernel, in which it inserts and deletes rules as iptables does. */
class ChainCnf extends SlowCnf {
  /** Contents of the rules; `firewall` for a rule of the firewall itself. */
  chain: string[] = ["firewall"];

  override collection(path: string): CnfCollection {
    const { create, update, delete: erase, ...others } = super.collection(path);
    const objects = (): Map<string, UciObject> => this.collections.get(path) ?? new Map();
    const add = (object: UciObject): void => {
      const index = Number(object.index);
      this.chain.splice(index > 0 ? index - 1 : this.chain.length, 0, ruleOf(object));
    };
    const remove = (name: string): void => {
      const object = objects().get(name);
      const position = object ? this.chain.indexOf(ruleOf(object)) : -1;
      if (position >= 0) this.chain.splice(position, 1);
    };
    return {
      ...others,
      create: async (object) => {
        add(object);
        return await create(object);
      },
      update: async (name, object) => {
        remove(name);
        add(object);
        return await update(name, object);
      },
      delete: async (name) => {
        remove(name);
        await erase(name);
      },
    };
  }

  /** Moves the rules of the firewall behind all others, as a reload does. */
  reloadFirewall(): void {
    this.chain = [...this.chain.filter((rule) => rule !== "firewall"), "firewall"];
  }
}

const ruleOf = (object: UciObject): string => cnfNat.kernelRules?.(object)[0] ?? "";

function start(kind: CnfKind = firewallRule, makeCnf = (clock: FakeClock): SlowCnf => new SlowCnf(clock)) {
  const clock = new FakeClock();
  const cnf = makeCnf(clock);
  const reported: string[] = [];
  const options = { clock, missing: ({ key }: { key: string }) => void reported.push(key) };
  let session = new CnfSession(cnf, options);
  const change = (name: string, order: number, fields: UciObject = {}, more: Partial<Change> = {}): Change => {
    const desired = { name, target: "DROP", ...fields };
    return {
      kind,
      name,
      origin: { kind: kind.kind.kind, key: `default/${name}` },
      desired,
      same: (stored) => JSON.stringify(stored) === JSON.stringify(desired),
      inForce: false,
      order: { order, created: "2026-01-01T00:00:00Z", name },
      ...more,
    };
  };
  const submit = async (...changes: readonly Change[]): Promise<readonly Effect[]> => {
    const all = Promise.all(changes.map((each) => session.submit(each)));
    all.catch(() => {}); // the caller looks at the result
    await clock.advance(cnf.writeMs > 0 ? 120_000 : 20_000);
    return await all;
  };
  /** Submits a rule for each letter, in the order of the letters. */
  const holds = (names: string, more: Partial<Change> = {}): Promise<readonly Effect[]> =>
    submit(...[...names].map((name, index) => change(name, index, {}, more)));
  const objects = (): Map<string, UciObject> => {
    const all = cnf.collections.get(kind.path) ?? new Map<string, UciObject>();
    cnf.collections.set(kind.path, all);
    return all;
  };
  return {
    clock,
    cnf,
    reported,
    change,
    submit,
    holds,
    session: () => session,
    /** Starts another session, as after a restart of the operator. */
    restart: () => {
      session = new CnfSession(cnf, options);
    },
    order: (): string[] => [...objects().keys()],
    /** Changes the objects on the CNF behind the operator's back. */
    put: (...names: readonly string[]): void => {
      const old = new Map(objects());
      objects().clear();
      for (const name of names) objects().set(name, old.get(name) ?? { name, target: "ACCEPT" });
    },
    writes: (): string[] => {
      const writes = cnf.requests.filter((request) => /^(PUT|POST|reload)/.test(request));
      cnf.requests.length = 0;
      return writes.map((request) => request.replace(`${kind.path}/`, "").replace(`${kind.path} `, ""));
    },
  };
}

/** Returns the rules in a chain that have this index, according to their destination, and this port. */
const chainOf = ({ chain }: ChainCnf, index: string | undefined, port: string | undefined): readonly string[] =>
  chain.filter((rule) => rule.includes(`10.0.${index}.`) && (port === undefined || rule.includes(`"${port}"`)));

describe("order of the objects on a CNF", () => {
  it("is the wanted one in whatever order changes arrive, with one write for each new object", async () => {
    const { submit, change, order, writes } = start();
    await submit(change("c", 3), change("a", 1), change("d", 4), change("b", 2));
    expect(order()).toEqual(["a", "b", "c", "d"]);
    expect(writes()).toEqual(["POST a", "POST b", "POST c", "POST d", "reload firewall"]);
  });

  it("survives an edit in the middle, because the objects behind it are written again before the reload", async () => {
    const { holds, submit, change, order, writes } = start();
    await holds("abcd");
    writes();
    expect(await submit(change("b", 1, { target: "REJECT" }))).toEqual([{ changed: true }]);
    expect(order()).toEqual(["a", "b", "c", "d"]);
    expect(writes()).toEqual(["PUT b", "PUT c", "PUT d", "reload firewall"]);
  });

  it("needs the least number of writes for several edits in one batch", async () => {
    const { holds, submit, change, order, writes } = start();
    await holds("abcde");
    writes();
    await submit(change("d", 3, { target: "REJECT" }), change("b", 1, { target: "REJECT" }));
    expect(order()).toEqual(["a", "b", "c", "d", "e"]);
    expect(writes()).toEqual(["PUT b", "PUT c", "PUT d", "PUT e", "reload firewall"]);
  });

  it.each([
    ["append at the end", 300, 1],
    ["edit of the 150th", 149, 151],
    ["insert before the first", -1, 301],
  ])("states the number of writes among 300 rules: %s", async (_, position, writeCount) => {
    const { submit, change, order, writes } = start();
    const names = Array.from({ length: 300 }, (__, index) => `r${String(index).padStart(3, "0")}`);
    await submit(...names.map((name, index) => change(name, index)));
    writes();
    await submit(change(names[position] ?? "new", position, { target: "REJECT" }));
    expect(writes()).toHaveLength(writeCount + 1);
    expect(order()).toEqual(position < 0 ? ["new", ...names] : position < 300 ? names : [...names, "new"]);
  });

  it("needs no write to delete an object", async () => {
    const { holds, submit, change, order, writes } = start();
    await holds("abcd");
    writes();
    await submit({ ...change("b", 1), desired: undefined }, change("e", 9));
    expect(order()).toEqual(["a", "c", "d", "e"]);
    expect(writes()).toEqual(["POST e", "reload firewall"]);
  });

  it("changes with the wanted order of a resource, and its service reloads", async () => {
    const { holds, submit, change, order, writes } = start();
    await holds("abc");
    writes();
    expect(await submit(change("c", -1, {}, { inForce: true }))).toEqual([expect.objectContaining({ changed: true })]);
    expect(order()).toEqual(["c", "a", "b"]);
    expect(writes()).toEqual(["PUT a", "PUT b", "reload firewall"]);
    expect(await submit(change("c", -2, {}, { inForce: true }))).toEqual([expect.objectContaining({ changed: false })]);
    expect(writes()).toEqual([]);
  });

  it("is restored by a new session, which knows nothing of the CNF yet", async () => {
    const { holds, put, restart, order, writes } = start();
    await holds("abc");
    put("c", "b", "a");
    restart();
    writes();
    await holds("abc", { inForce: true });
    expect(order()).toEqual(["a", "b", "c"]);
    expect(writes()).toEqual(["PUT b", "PUT c", "reload firewall"]);
    restart();
    await holds("abc", { inForce: true });
    expect(writes()).toEqual([]);
  });

  it("moves objects once after a burst of changes, not once for each batch", async () => {
    const { clock, session, change, order, writes } = start(networkFirewallRule);
    const all: Promise<unknown>[] = [];
    for (let index = 0; index < 200; index++) {
      all.push(session().submit(change(`r${index}`, -index)));
      await clock.advance(10);
    }
    await clock.advance(10_000);
    await Promise.all(all);
    expect(order()).toEqual(Array.from({ length: 200 }, (_, index) => `r${199 - index}`));
    expect(writes().length).toBeLessThanOrEqual(400);
  });

  it("is complete before a change that needs no reload is reported", async () => {
    const { clock, session, holds, change, order } = start(networkFirewallRule);
    await holds("abcd");
    const seen: string[] = [];
    const edit = (name: string, place: number, target: string): Promise<unknown> =>
      session()
        .submit(change(name, place, { target }))
        .then(() => seen.push(order().join("")));
    const first = edit("b", 1, "REJECT");
    await clock.advance(100);
    const second = edit("a", 0, "REJECT");
    await clock.advance(10_000);
    await Promise.all([first, second]);
    expect(seen).toEqual(["abcd", "abcd"]);
  });

  it("is restored at intervals while changes keep arriving", async () => {
    const { clock, session, change, order } = start(networkFirewallRule);
    const all: Promise<unknown>[] = [];
    let right = 0;
    for (let index = 0; index < 200; index++) {
      all.push(session().submit(change(`r${index}`, -index)));
      await clock.advance(100);
      const names = order().map((name) => Number(name.slice(1)));
      if (String(names) === String(names.toSorted((a, b) => b - a))) right++;
    }
    expect(right).toBeGreaterThan(3);
    await clock.advance(10_000);
    await Promise.all(all);
  });

  it("never moves objects of others", async () => {
    const { put, holds, submit, change, order, writes } = start();
    put("x", "y");
    await holds("ab");
    put("x", "a", "y", "b", "z");
    await submit(change("a", 0), change("b", 1));
    expect(order()).toEqual(["x", "a", "y", "b", "z"]);
    await submit(change("a", 0, { target: "REJECT" }));
    expect(order()).toEqual(["x", "y", "z", "a", "b"]);
    expect(writes().some((write) => /[xyz]/.test(write))).toBe(false);
  });

  it("is restored if someone moved an object, which counts as drift of that object alone", async () => {
    const { holds, put, session, submit, change, order, writes } = start();
    await holds("abcd");
    put("b", "c", "d", "a");
    writes();
    expect((await session().missing()).map(({ key }) => key)).toEqual(["default/a"]);
    expect(session().inspect().collections).toEqual([expect.objectContaining({ displaced: 1, changed: 0 })]);
    expect(session().stateOf(firewallRule.path, "a")).toBe("displaced");
    expect(await submit(change("a", 0, {}, { inForce: true }))).toEqual([
      { changed: true, drifted: true, displaced: true },
    ]);
    expect(order()).toEqual(["a", "b", "c", "d"]);
    expect(writes()).toEqual(["PUT b", "PUT c", "PUT d", "reload firewall"]);
    expect(await session().missing()).toEqual([]);
    expect(session().stateOf(firewallRule.path, "a")).toBe("held");
  });

  it("is not restored if drift is only reported, until the operator writes to the collection anyway", async () => {
    const { holds, put, submit, change, order, writes } = start();
    const leavesDrift = { leavesDrift: true, inForce: true };
    await holds("abcd", leavesDrift);
    put("b", "c", "d", "a");
    writes();
    expect(await submit(change("a", 0, {}, leavesDrift))).toEqual([{ changed: false, drifted: true, displaced: true }]);
    expect(await submit(change("b", 1, {}, leavesDrift))).toEqual([{ changed: false }]);
    expect(writes()).toEqual([]);
    await submit(change("d", 3, { target: "REJECT" }, leavesDrift));
    expect(order()).toEqual(["a", "b", "c", "d"]);
  });

  it("does not overwrite a change by others when it moves an object", async () => {
    const { holds, cnf, submit, change } = start();
    await holds("abc");
    cnf.collections.get(firewallRule.path)?.set("c", { name: "c", target: "ACCEPT" });
    await submit(change("b", 1, { target: "REJECT" }));
    expect(cnf.collections.get(firewallRule.path)?.get("c")).toEqual({ name: "c", target: "ACCEPT" });
  });

  it("does not reload a service while the order is incomplete", async () => {
    const { cnf, holds, submit, change, order, writes } = start();
    await holds("abcdefghijklmnopqrstuvwxyz");
    writes();
    cnf.writeMs = 300;
    await submit(change("b", 1, { target: "REJECT" }));
    expect(order().join("")).toBe("abcdefghijklmnopqrstuvwxyz");
    const all = writes();
    expect(all).toHaveLength(26);
    expect(all.at(-1)).toBe("reload firewall");
  });

  it("writes changes to other collections while it moves many objects, and completes the moves", async () => {
    const { clock, cnf, session, holds, change, order } = start();
    await holds("abcdefghijklmnopqrstuvwxyz");
    cnf.writeMs = 300;
    const edit = session().submit(change("a", 0, { target: "REJECT" }));
    await clock.advance(1_500);
    const doneMs: number[] = [];
    const routes = Array.from({ length: 60 }, (_, index) =>
      session()
        .submit({ ...change(`r${index}`, 0), kind: cnfRoute, order: undefined })
        .then(() => doneMs.push(clock.monotonic())),
    );
    await clock.advance(3_000);
    expect(doneMs.length).toBeGreaterThan(0);
    await clock.advance(18_500);
    expect(doneMs.length).toBeLessThan(60);
    expect(order().join("")).toBe("abcdefghijklmnopqrstuvwxyz");
    await clock.advance(60_000);
    await Promise.all([edit, ...routes]);
  });

  it("reloads in the end even if edits keep the objects out of order", async () => {
    const { clock, cnf, session, holds, change, writes } = start();
    await holds("abcdefghijklmnopqrstuvwxyz");
    writes();
    cnf.writeMs = 400;
    const edits: Promise<unknown>[] = [];
    for (let edit = 0; edit < 25; edit++) {
      edits.push(session().submit(change("a", 0, { target: `T${edit}` })));
      await clock.advance(4_000);
    }
    expect(writes().filter((write) => write === "reload firewall").length).toBeGreaterThan(0);
    await clock.advance(120_000);
    await Promise.all(edits);
  });

  it("rejects changes if objects behind them could not be moved because the CNF does not respond", async () => {
    const { cnf, holds, submit, change, order } = start(networkFirewallRule);
    await holds("abc");
    cnf.fail = (request) => (request.endsWith("/c") ? new OpenWrtNetworkError("PUT", "gone") : undefined);
    await expect(submit(change("b", 1, { target: "REJECT" }))).rejects.toThrow("gone");
    cnf.fail = () => undefined;
    await submit(change("b", 1, { target: "REJECT" }));
    expect(order()).toEqual(["a", "b", "c"]);
  });

  it("reconciles the resource of an object that the CNF refused to write again, because it may be lost", async () => {
    const { cnf, holds, submit, change, order, reported } = start();
    await holds("abcd");
    cnf.fail = (request) => (request.endsWith("PUT firewall/v1/rules/c") ? new OpenWrtError(428, "later") : undefined);
    expect(await submit(change("b", 1, { target: "REJECT" }))).toEqual([{ changed: true }]);
    expect(reported).toEqual(["default/c"]);
    cnf.collections.get(firewallRule.path)?.delete("c");
    cnf.fail = () => undefined;
    await submit(change("c", 2));
    expect(order()).toEqual(["a", "b", "c", "d"]);
  });

  it("is reversed for route rules, because the kernel tries the last one first", async () => {
    const { submit, change, order } = start(cnfRouteRule);
    await submit(change("a", 1), change("b", 2), change("c", 3));
    expect(order()).toEqual(["c", "b", "a"]);
    await submit(change("b", 2, { table: "40" }));
    expect(order()).toEqual(["c", "b", "a"]);
  });

  it("leaves objects with an explicit index where they are", async () => {
    const { submit, change, order, writes } = start(cnfNat);
    await submit(
      change("a", 1, { src_ip: "10.0.0.1" }),
      change("i", 2, { src_ip: "10.0.0.2", index: "1" }),
      change("c", 3, { src_ip: "10.0.0.3" }),
    );
    writes();
    await submit(change("i", 2, { src_ip: "10.0.0.2", index: "2" }));
    expect(writes()).toEqual(["PUT i"]);
    await submit(change("a", 1, { src_ip: "10.0.0.1", target: "SNAT" }));
    expect(writes()).toEqual(["PUT a", "PUT c"]);
    expect(order()).toEqual(["i", "a", "c"]);
  });

  it("is kept among translations with one index that may match the same packets, all of which are created again", async () => {
    const { cnf, submit, change, order, session, put } = start(cnfNat);
    const nat = (name: string, place: number, src_dport: string, more: UciObject = {}): Change =>
      change(name, place, { target: "DNAT", index: "2", src_dport, ...more });
    const requests = (): string[] => cnf.requests.splice(0).filter((request) => !request.startsWith("GET"));
    await submit(nat("a", 1, "443"), nat("b", 2, "443"), nat("c", 3, "8443"));
    expect(order()).toEqual(["b", "a", "c"]);
    requests();
    await submit(nat("c", 3, "8443", { dest_ip: "10.0.0.3" }));
    expect(requests()).toEqual([`PUT ${cnfNat.path}/c`]);
    const replaced = (...names: readonly string[]): string[] => [
      ...names.map((name) => `DELETE ${cnfNat.path}/${name}`),
      ...names.map((name) => `POST ${cnfNat.path} ${name}`),
    ];
    expect(await submit(nat("b", 2, "443", { dest_ip: "10.0.0.2" }))).toEqual([{ changed: true }]);
    expect(requests()).toEqual(replaced("b", "a"));
    await submit(nat("c", 3, "443"));
    expect(requests()).toEqual([
      ...["c", "b", "a"].map((name) => `DELETE ${cnfNat.path}/${name}`),
      ...["c", "b", "a"].map((name) => `POST ${cnfNat.path} ${name}`),
    ]);
    put("a", "c", "b");
    expect((await session().missing()).map(({ key }) => key)).toEqual(["default/a"]);
    expect(await submit(nat("a", 1, "443"))).toEqual([{ changed: true, drifted: true, displaced: true }]);
    expect(order()).toEqual(["c", "b", "a"]);
    expect(await session().missing()).toEqual([]);
  });

  it("is restored among translations with one index even if the CNF refuses to delete one", async () => {
    const { cnf, submit, change, order } = start(cnfNat);
    const nat = (name: string, place: number, more: UciObject = {}): Change =>
      change(name, place, { target: "DNAT", index: "2", src_dport: "443", ...more });
    await submit(nat("a", 1), nat("b", 2));
    cnf.fail = (request) => (request === `DELETE ${cnfNat.path}/a` ? new OpenWrtError(400, "in use") : undefined);
    await submit(nat("b", 2, { dest_ip: "10.0.0.2" }));
    expect(order()).toEqual(["b", "a"]);
  });

  it.each([300, 4_000])(
    "is not interrupted between deleting and creating translations, if each takes %d ms",
    async (writeMs) => {
      const { cnf, submit, change, order, reported } = start(cnfNat);
      const names = [..."abcdefghijklmnop"];
      const nat = (name: string, more: UciObject = {}): Change =>
        change(name, names.indexOf(name), { target: "DNAT", index: "2", src_dport: "443", ...more });
      await submit(...names.map((name) => nat(name)));
      cnf.writeMs = writeMs;
      await submit(nat("p", { dest_ip: "10.0.0.2" }));
      expect(order()).toEqual(names.toReversed());
      expect(reported).toEqual([]);
    },
  );

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "is the order in the kernel after any changes, also of equal rules (seed %d)",
    async (seed) => {
      let state = seed;
      const below = (most: number): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state % most;
      };
      const chains: ChainCnf[] = [];
      const { submit, change } = start(cnfNat, (clock) => {
        const made = new ChainCnf(clock);
        chains.push(made);
        return made;
      });
      const [cnf = expect.unreachable()] = chains;
      const wanted = new Map<string, Change>();
      for (let round = 0; round < 60; round++) {
        const changes = new Map<string, Change>();
        for (let count = 1 + below(3); count > 0; count--) {
          const name = "abcdefg"[below(7)] ?? "";
          const index = ["0", "2"][below(2)] ?? "";
          const fields = {
            target: "DNAT",
            index,
            src_dport: String(443 + below(2)),
            dest_ip: `10.0.${index}.${below(3)}`,
          };
          const next = change(name, below(3), fields);
          const isDeletion = wanted.has(name) && below(4) === 0;
          changes.set(name, isDeletion ? { ...next, desired: undefined, order: undefined } : next);
        }
        for (const [name, next] of changes)
          if (next.desired) wanted.set(name, next);
          else wanted.delete(name);
        await submit(...changes.values());
        const inOrder = [...wanted.values()].sort((a, b) =>
          a.order && b.order ? compareOrder(a.order, b.order) : expect.unreachable(),
        );
        for (const group of ["0", "2 443", "2 444"]) {
          const [index, port] = group.split(" ");
          const isIn = ({ desired }: Change): boolean =>
            desired?.index === index && (port === undefined || desired?.src_dport === port);
          const rules = inOrder.filter(isIn).map(({ desired }) => ruleOf(desired ?? {}));
          const of = new Set([...rules, ...chainOf(cnf, index, port)]);
          expect(
            cnf.chain.filter((rule) => of.has(rule)),
            `round ${round}, ${group}`,
          ).toEqual(rules);
        }
        if (below(5) === 0) cnf.reloadFirewall();
      }
    },
  );

  it("is kept among routing rules of one priority, of which the kernel tries the oldest first", async () => {
    const { submit, change, order, writes } = start(cnfRouteRule);
    const rule = (name: string, place: number, more: UciObject = {}): Change =>
      change(name, place, { prio: "650", src: name, ...more });
    await submit(rule("a", 1), rule("b", 2), rule("x", 0, { prio: "651" }));
    writes();
    await submit(rule("a", 1, { table: "40" }));
    expect(writes()).toEqual(["PUT a", "PUT b"]);
    expect(order()).toEqual(["x", "a", "b"]);
  });

  it("is checked quickly with thousands of rules", async () => {
    const { submit, change, session, holds } = start();
    await holds("a");
    await submit(...Array.from({ length: 15 }, (_, index) => change(`s${index}`, index)));
    const beganMs = performance.now();
    const names = Array.from({ length: 2_000 }, (_, index) => `r${index}`);
    for (let from = 0; from < names.length; from += 500)
      await submit(...names.slice(from, from + 500).map((name, index) => change(name, from + index)));
    await submit(change("r0", -5));
    expect(await session().missing()).toEqual([]);
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  });
});
