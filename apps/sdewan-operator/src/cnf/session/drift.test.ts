import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { firewallRule } from "../../kinds/firewall-rules.ts";
import { ipsecHost } from "../../kinds/ipsec-remotes.ts";
import { FakeCnf } from "../../testing/fake-cnf.ts";
import { sameOnCnf } from "../../uci/compare.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { CnfCollection } from "../cnf-api.ts";
import type { Change } from "./change.ts";
import { CnfSession } from "./session.ts";

const rules = firewallRule.path;
const origin = { kind: "FirewallRule", key: "default/a" } as const;

function changeTo(desired: UciObject, kind: typeof firewallRule | typeof ipsecHost = firewallRule): Change {
  return {
    kind,
    name: "a",
    origin,
    desired,
    same: (stored) => sameOnCnf(kind, desired, stored, undefined),
    inForce: false,
  };
}

/** Starts a CNF that returns objects as transformed by `shown`: in lists, for one object, and in responses to writes. */
function start(shown: (object: UciObject, where: "list" | "item" | "write") => UciObject = (object) => object) {
  const cnf = new FakeCnf();
  const plain = cnf.collection.bind(cnf);
  cnf.collection = (path): CnfCollection => {
    const collection = plain(path);
    return {
      ...collection,
      list: async () => (await collection.list()).map((object) => shown(object, "list")),
      get: async (name) => shown(await collection.get(name), "item"),
      create: async (object) => shown((await collection.create(object)) as UciObject, "write"),
      update: async (name, object) => shown((await collection.update(name, object)) as UciObject, "write"),
    };
  };
  const clock = new FakeClock();
  const reported: unknown[] = [];
  const session = new CnfSession(cnf, { clock, missing: (each) => reported.push(each) });
  const submit = async (change: Change): Promise<unknown> => {
    const done = session.submit(change);
    await clock.advance(10_000);
    return done;
  };
  /** Runs that many rounds, each followed by the repairs it requests. @returns number of writes */
  const rounds = async (count: number, change: Change): Promise<number> => {
    cnf.requests.length = 0;
    for (let round = 0; round < count; round++) if ((await session.missing()).length > 0) await submit(change);
    return cnf.requests.filter((request) => /^(PUT|POST)/.test(request)).length;
  };
  const put = (object: UciObject): void => void cnf.collections.get(rules)?.set("a", object);
  return { cnf, session, submit, rounds, put, reported };
}

const desired = { name: "a", target: "DROP", src_ip: "10.0.0.1/24", extra: "" };

describe("a CNF session", () => {
  it("notices a value that changed on the CNF, does not revert it twice, and notices the same change again", async () => {
    const { submit, session, put } = start();
    await submit(changeTo(desired));
    for (const target of ["ACCEPT", "ACCEPT", "REJECT"]) {
      expect(await session.missing()).toEqual([]);
      put({ ...desired, target });
      expect(await session.missing()).toEqual([origin]);
      expect(await submit(changeTo(desired))).toEqual({ changed: true, drifted: true });
    }
  });

  it("notices an unexpected field, and an object that exists twice", async () => {
    const { submit, session, put, cnf } = start();
    await submit(changeTo(desired));
    put({ ...desired, extra: "-m comment" });
    expect(await session.missing()).toEqual([origin]);
    put(desired);
    expect(await session.missing()).toEqual([]);
    cnf.collections.get(rules)?.set("twin", desired);
    expect(await session.missing()).toEqual([origin]);
  });

  it("immediately reports, only once, an object that is missing from a list read for another one", async () => {
    const { submit, cnf, reported } = start();
    await submit(changeTo(desired));
    cnf.collections.get(rules)?.delete("a");
    const others = ["b", "c"].map((name) => ({
      ...changeTo({ ...desired, name }),
      name,
      origin: { ...origin, key: `x/${name}` },
    }));
    await Promise.all(others.map(submit));
    expect(reported).toEqual([origin]);
    await Promise.all(others.map(submit));
    expect(reported).toEqual([origin]);
    expect(await submit(changeTo(desired))).toEqual({ changed: true, drifted: true });
  });

  it("does not treat values that a CNF adds on its own as changes", async () => {
    let counter = 0;
    const { submit, rounds } = start((object) => ({ ...object, enabled: "1", packets: String(counter++) }));
    await submit(changeTo(desired));
    expect(await rounds(10, changeTo(desired))).toBe(0);
  });

  it("does not write again to a CNF that returns values in its own form", async () => {
    const { submit, rounds, put } = start((object) => ({ ...object, src_ip: "10.0.0.0/255.255.255.0" }));
    await submit(changeTo(desired));
    expect(await rounds(10, changeTo(desired))).toBe(0);
    expect(await submit(changeTo(desired))).toEqual({ changed: false });
    put({ ...desired, target: "ACCEPT" });
    expect(await rounds(10, changeTo(desired))).toBe(1);
  });

  it("does not write again if lists have yet another form", async () => {
    const { submit, rounds, put } = start((object, where) =>
      where === "list" ? { ...object, src_ip: "10.0.0.0" } : { ...object, src_ip: "10.0.0.0/255.255.255.0" },
    );
    await submit(changeTo(desired));
    expect(await rounds(10, changeTo(desired))).toBe(0);
    put({ ...desired, target: "ACCEPT" });
    expect(await rounds(10, changeTo(desired))).toBe(1);
  });

  it("writes less and less often to a CNF that returns a different form each time", async () => {
    let counter = 0;
    const { submit, rounds } = start((object) => ({ ...object, src_ip: `10.0.0.${counter++}` }));
    await submit(changeTo(desired));
    const [first, later] = [await rounds(50, changeTo(desired)), await rounds(1_000, changeTo(desired))];
    expect(first).toBeLessThan(15);
    expect(later).toBeLessThan(30);
    expect(later).toBeGreaterThan(5);
  });

  it("writes immediately again when the form has become stable", async () => {
    let counter = 0;
    let isRestless = true;
    const { submit, rounds, put } = start((object) => (isRestless ? { ...object, src_ip: `${counter++}` } : object));
    await submit(changeTo(desired));
    await rounds(200, changeTo(desired));
    isRestless = false;
    await rounds(70, changeTo(desired));
    put({ ...desired, target: "ACCEPT" });
    expect(await rounds(1, changeTo(desired))).toBe(1);
  });

  it("notices changed certificates, although the CNF never returns them as sent", async () => {
    const remote = { name: "a", shared_ca: "Y2E=", local_private_cert: "a2V5" };
    const garble = (object: UciObject): UciObject => ({
      ...object,
      shared_ca: `garbled ${String(object.shared_ca)}`,
    });
    const { submit, session, cnf } = start(garble);
    const change = { ...changeTo(remote, ipsecHost), same: () => true };
    await submit(change);
    expect(await session.missing()).toEqual([]);
    cnf.collections.get(ipsecHost.path)?.set("a", { ...remote, shared_ca: "b3RoZXI=" });
    expect(await session.missing()).toEqual([origin]);
    expect(await submit(change)).toEqual({ changed: true, drifted: true });
    expect(await session.missing()).toEqual([]);
  });
});
