import { setTimeout as sleep } from "node:timers/promises";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { collection, named } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { fieldsOf } from "./harness/fields-of.ts";
import { modes } from "./harness/modes.ts";
import { type CompositeKindName, compositeKind, type RuleObject, ruleKind, type Spec } from "./harness/rules.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

const nats = "nat/v1/nats";
const routes = "route/v1/routes";
const dns = new Map<string, readonly string[] | string>();

/** Resolves the names in `dns`; a text is the error code of the resolver. */
async function resolve(name: string): Promise<string[]> {
  const answer = dns.get(name) ?? "ENOTFOUND";
  if (typeof answer === "string") throw Object.assign(new Error(answer), { code: answer });
  return [...answer];
}

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient, checkIntervalMs: 500, resolve });
});
afterAll(() => bed?.stop());

describe.each(modes)("on $mode", ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
  });

  const key = (name: string) => `${cnf.namespace}/${name}`;
  const create = (kind: CompositeKindName, name: string, spec: Spec) => {
    const metadata = { name, namespace: cnf.namespace, labels: { sdewanPurpose: cnf.purpose } };
    return bed.client.create(compositeKind(kind), { metadata, spec });
  };
  const statusOf = async (kind: CompositeKindName, name: string) =>
    fieldsOf((await bed.client.get(compositeKind(kind), key(name))).status);
  const hasStatus = (kind: CompositeKindName, name: string, status: unknown) =>
    eventually(async () => expect(await statusOf(kind, name)).toEqual(status));
  const gone = (kind: CompositeKindName, name: string) =>
    eventually(async () => {
      const left = await bed.client.list(compositeKind(kind), { namespace: cnf.namespace });
      expect(left.filter(({ metadata }) => metadata.name === name)).toEqual([]);
    });
  const patchChild = (name: string, patch: Partial<RuleObject>) =>
    bed.client.patch(ruleKind("CNFNAT"), key(name), patch);

  it("a CNFService forwards a port of the CNF to a service, and follows its address without interruption", async () => {
    dns.set("web.example", ["10.96.0.9", "10.96.0.10"]);
    await create("CNFService", "web", { fullname: "web.example", port: "8866", dport: "80" });
    await hasStatus("CNFService", "web", { sip: "10.96.0.9", port: "8866", dport: "80" });
    const shown = {
      src_dport: "8866",
      dest_ip: "10.96.0.9",
      dest_port: "80",
      proto: "tcp",
      target: "DNAT",
      index: "2",
    };
    expect(named(simulator, nats, "webnat")).toMatchObject([shown]);
    const before = await cnf.inSync("CNFNAT", "webnat");
    expect(before.metadata.labels).toEqual({ sdewanPurpose: cnf.purpose });

    dns.set("web.example", ["10.96.0.7"]);
    await hasStatus("CNFService", "web", { sip: "10.96.0.7", port: "8866", dport: "80" });
    expect(named(simulator, nats, "webnat")).toMatchObject([{ ...shown, dest_ip: "10.96.0.7" }]);
    const after = await cnf.inSync("CNFNAT", "webnat");
    expect(after.metadata.uid).toBe(before.metadata.uid);

    dns.set("web.example", "EAI_AGAIN");
    await eventually(async () =>
      expect(await statusOf("CNFService", "web")).toMatchObject({
        sip: "10.96.0.7",
        message: expect.stringMatching(/^Cannot reterive CNF Service ip: .*EAI_AGAIN/),
      }),
    );
    expect((await cnf.inSync("CNFNAT", "webnat")).metadata.uid).toBe(before.metadata.uid);

    dns.set("web.example", "ENOTFOUND");
    await cnf.gone("CNFNAT", "webnat");
    expect(named(simulator, nats, "webnat")).toEqual([]);

    dns.set("web.example", ["10.96.0.7"]);
    await hasStatus("CNFService", "web", { sip: "10.96.0.7", port: "8866", dport: "80" });
    await cnf.inSync("CNFNAT", "webnat");
  });

  it("its child is restored when it is deleted or changed by hand, and gets label changes", async () => {
    const before = await cnf.inSync("CNFNAT", "webnat");
    await cnf.delete("CNFNAT", "webnat");
    await eventually(async () =>
      expect((await cnf.inSync("CNFNAT", "webnat")).metadata.uid).not.toBe(before.metadata.uid),
    );
    await patchChild("webnat", { spec: { dest_port: "81", src_ip: "10.6.6.6" } });
    await eventually(async () => expect((await cnf.inSync("CNFNAT", "webnat")).spec).toEqual(before.spec));
    await bed.client.patch(compositeKind("CNFService"), key("web"), { metadata: { labels: { team: "a" } } });
    await eventually(async () =>
      expect((await cnf.get("CNFNAT", "webnat")).metadata.labels).toMatchObject({ team: "a" }),
    );
    expect(named(simulator, nats, "webnat")).toHaveLength(1);
  });

  it("a CNFService is deleted after its child, and the child from the CNF", async () => {
    await bed.client.delete(compositeKind("CNFService"), key("web"));
    await gone("CNFService", "web");
    await cnf.gone("CNFNAT", "webnat");
    expect(named(simulator, nats, "webnat")).toEqual([]);
  });

  it("the older of two CNFServices with one port gets the connections on every pod, also after an edit", async () => {
    const both = await bed.createCnf({ quirks, replicas: 2 });
    const { namespace, purpose } = both;
    const metadata = { namespace, labels: { sdewanPurpose: purpose } };
    const targets = async (): Promise<string[]> =>
      (await both.simulators()).map(({ iptables }) =>
        iptables
          .rules("nat", "PREROUTING")
          .filter((rule) => rule.includes("--dport 8877 "))
          .map((rule) => /--to-destination ([\d.]+)/.exec(rule)?.[1])
          .join(" "),
      );
    // After the reload for the zone, the position counts from the first of the translations.
    await both.create("FirewallZone", "lan", { network: ["net-a"] });
    await both.inSync("FirewallZone", "lan");
    for (const [name, address] of [
      ["older", "10.96.1.1"],
      ["a-younger", "10.96.1.2"],
    ] as const) {
      dns.set(`${name}.example`, [address]);
      const spec = { fullname: `${name}.example`, port: "8877", dport: "80" };
      await bed.client.create(compositeKind("CNFService"), { metadata: { ...metadata, name }, spec });
      await both.inSync("CNFNAT", `${name}nat`);
      await sleep(1_100); // creation times have a resolution of a second
    }
    await eventually(async () => expect(await targets()).toEqual(Array(2).fill("10.96.1.1 10.96.1.2")));

    dns.set("older.example", ["10.96.1.3"]);
    await eventually(async () => expect(await targets()).toEqual(Array(2).fill("10.96.1.3 10.96.1.2")));
    dns.set("a-younger.example", ["10.96.1.4"]);
    await eventually(async () => expect(await targets()).toEqual(Array(2).fill("10.96.1.3 10.96.1.4")));
    const younger = await both.inSync("CNFNAT", "a-youngernat");
    const shadowed = expect.objectContaining({ type: "Effective", status: "False", reason: "Shadowed" });
    expect(younger.status).toMatchObject({ conditions: expect.arrayContaining([shadowed]) });
  });

  it("a CNFService does not change a CNFNAT of the same name that somebody else created", async () => {
    dns.set("web.example", ["10.96.0.9"]);
    const spec = { target: "DNAT", dest_ip: "10.1.1.1", src_dport: "99", dest_port: "99", proto: "tcp" };
    await cnf.create("CNFNAT", "takennat", spec);
    await cnf.inSync("CNFNAT", "takennat");
    await create("CNFService", "taken", { fullname: "web.example", port: "8867", dport: "80" });
    const message = `CNFNAT ${key("takennat")} exists and does not belong to this CNFService`;
    await eventually(async () => expect((await statusOf("CNFService", "taken"))?.message).toBe(message));
    expect((await cnf.get("CNFNAT", "takennat")).spec).toEqual(spec);
    await cnf.delete("CNFNAT", "takennat");
    await hasStatus("CNFService", "taken", { sip: "10.96.0.9", port: "8867", dport: "80" });
    await bed.client.delete(compositeKind("CNFService"), key("taken"));
    await gone("CNFService", "taken");
  });

  it("a CNFService refuses to redirect the REST API of its CNF", async () => {
    const port = String(simulator.port);
    await create("CNFService", "api", { fullname: "web.example", port, dport: "80" });
    await hasStatus("CNFService", "api", {
      message: `Port: ${port} is the port of the CNF's own REST API, which would become unreachable`,
    });
    await bed.client.delete(compositeKind("CNFService"), key("api"));
    await gone("CNFService", "api");
  });

  it("a CNFLocalService has a translation for each remote address, and none for a removed one", async () => {
    dns.set("here.example", ["10.96.0.1"]);
    dns.set("there.example", ["192.0.2.10", "192.0.2.9"]);
    const ports = { localport: "8080", remoteport: "80" };
    await create("CNFLocalService", "api", { localservice: "here.example", remoteservice: "there.example", ...ports });
    await hasStatus("CNFLocalService", "api", {
      localip: "10.96.0.1",
      remoteips: ["192.0.2.9", "192.0.2.10"],
      ...ports,
    });
    const shown = () => collection(simulator, nats).map(({ name, src_dip, dest_ip }) => [name, src_dip, dest_ip]);
    expect(shown()).toEqual(
      expect.arrayContaining([
        ["apinat0", "192.0.2.9", "10.96.0.1"],
        ["apinat1", "192.0.2.10", "10.96.0.1"],
      ]),
    );
    dns.set("there.example", ["192.0.2.10"]);
    await hasStatus("CNFLocalService", "api", { localip: "10.96.0.1", remoteips: ["192.0.2.10"], ...ports });
    expect(shown()).toEqual([["apinat0", "192.0.2.10", "10.96.0.1"]]);
    dns.set("there.example", "ENOTFOUND");
    await eventually(async () =>
      expect((await statusOf("CNFLocalService", "api"))?.message).toContain("RemoteService"),
    );
    expect(shown()).toHaveLength(1);
    await bed.client.delete(compositeKind("CNFLocalService"), key("api"));
    await gone("CNFLocalService", "api");
    expect(collection(simulator, nats)).toEqual([]);
  });

  it("a CNFHubSite waits for its tunnel, becomes a device on request, and is deleted", async () => {
    dns.set("site.example", ["198.51.100.9"]);
    const spec = { site: "site.example", subnet: "10.9.0.0/24", hubip: "10.10.10.35", devicepip: "172.16.30.10" };
    await create("CNFHubSite", "b", { ...spec, type: "Hub" });
    await eventually(async () =>
      expect(await statusOf("CNFHubSite", "b")).toMatchObject({
        type: "Hub",
        message: expect.stringMatching(/^waiting for CNFRoute broute0: Trying to apply: .*; and 1 more$/),
      }),
    );
    simulator.kernel.addInterface({ name: "vti_10.10.10.35", ip: "172.31.9.4" });
    const facts = {
      remoteips: ["198.51.100.9"],
      subnet: "10.9.0.0/24",
      hubip: "10.10.10.35",
      devicepip: "172.16.30.10",
    };
    await hasStatus("CNFHubSite", "b", { type: "Hub", ...facts });
    const sorted = (path: string) =>
      collection(simulator, path).toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
    const shown = () => sorted(routes).map(({ name, dst, dev, table }) => [name, dst, dev, table]);
    expect(shown()).toEqual([
      ["broute0", "10.9.0.0/24", "vti_10.10.10.35", "default"],
      ["broute1", "198.51.100.9", "vti_10.10.10.35", "default"],
    ]);
    expect(collection(simulator, nats)).toEqual([]);

    await bed.client.patch(compositeKind("CNFHubSite"), key("b"), { spec: { type: "Device" } });
    await hasStatus("CNFHubSite", "b", { type: "Device", ...facts });
    expect(shown()).toEqual([
      ["broute0", "10.9.0.0/24", "#172.16.30.10", "cnf"],
      ["broute1", "198.51.100.9", "#172.16.30.10", "cnf"],
    ]);
    expect(sorted(nats).map(({ name, dest_ip }) => [name, dest_ip])).toEqual([
      ["bsnat0", "10.9.0.0/24"],
      ["bsnat1", "198.51.100.9"],
    ]);

    await bed.client.patch(compositeKind("CNFHubSite"), key("b"), { spec: { type: "Hub" } });
    await hasStatus("CNFHubSite", "b", { type: "Hub", ...facts });
    expect(collection(simulator, nats)).toEqual([]);
    await bed.client.delete(compositeKind("CNFHubSite"), key("b"));
    await gone("CNFHubSite", "b");
    expect(collection(simulator, routes)).toEqual([]);
  });

  it("the deletion of a composite waits while its CNF cannot be reached, and its status reports that", async () => {
    dns.set("web.example", ["10.96.0.9"]);
    await create("CNFService", "late", { fullname: "web.example", port: "8868", dport: "80" });
    await hasStatus("CNFService", "late", { sip: "10.96.0.9", port: "8868", dport: "80" });
    const [pod] = await cnf.pods();
    await bed.cnfs.unplug(key(pod?.metadata.name ?? ""));
    await bed.client.delete(compositeKind("CNFService"), key("late"));
    const message = /^waiting for CNFNAT latenat to be deleted: Being delete: /;
    await eventually(async () => expect((await statusOf("CNFService", "late"))?.message).toMatch(message));
    await bed.cnfs.plugIn(key(pod?.metadata.name ?? ""));
    await gone("CNFService", "late");
    await cnf.gone("CNFNAT", "latenat");
  });
});
