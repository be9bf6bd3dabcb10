import { readFile } from "node:fs/promises";
import type { KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { OpenWrtClient } from "@kubewright/openwrt";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFRouteRule } from "../api/cnf-route-rule.ts";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { endpointAnnotation, orderAnnotation } from "../api/group.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { connectTo } from "../cnf/connect.ts";
import type { Origin } from "../cnf/session/change.ts";
import { Patrol } from "../cnf/session/patrol.ts";
import type { SessionOptions } from "../cnf/session/session.ts";
import { SessionPool } from "../cnf/session/session-pool.ts";
import { shadowsOver } from "../effect/shadows.ts";
import { cnfNat } from "../kinds/cnf-nat.ts";
import { cnfRoute } from "../kinds/cnf-route.ts";
import { cnfName, ruleKinds } from "../kinds/rule-kinds.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import { samples } from "../testing/samples.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { RuleReconciler } from "./rule-reconciler.ts";
import { WaitingRules } from "./waiting-rules.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(quirks: boolean, [first, second] = ["net1", "net2"], session: SessionOptions = {}) {
  const cnf = await CnfSimulator.start({
    quirks,
    collections: ruleKinds,
    password: "pass",
    interfaces: [
      { name: "eth0", ip: "10.244.0.7" },
      { name: String(first), ip: "172.16.30.10" },
      { name: String(second), ip: "172.16.31.10" },
    ],
  });
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["127.0.0.1"], { [endpointAnnotation]: `http:${cnf.port}` });
  const pool = new SessionPool({
    reader: cluster.client,
    connect: (endpoint) => connectTo(endpoint, silentLogger),
    endpoint: { scheme: "https" },
    session,
  });
  closers.push(
    () => cnf.stop(),
    () => pool.close(),
    async () => expect(cnf.requests.unsafeTexts).toEqual([]),
  );
  const waitingRules = new WaitingRules();
  const reconcilers = new Map(
    ruleKinds.map((kind) => [kind.kind.kind, new RuleReconciler({ kind, kinds: ruleKinds, pool, waitingRules })]),
  );
  const context = { client: cluster.client, log: silentLogger, signal: new AbortController().signal };
  const reconcile = (objects: readonly KubeObject[]) =>
    Promise.all(
      objects.map(({ kind, metadata }) =>
        reconcilers.get(kind)?.reconcile(`${metadata.namespace}/${metadata.name}`, context),
      ),
    );
  const called: string[] = [];
  const clock = new FakeClock();
  const trigger = ({ kind, key }: Origin): void => void called.push(`${kind} ${key}`);
  const patrol = new Patrol({ pool, reader: cluster.client, intervalMs: 30_000, trigger, clock, logger: silentLogger });
  /**
   * Runs one round of the patrol, and reconciles the resources it requests.
   *
   * @returns those resources
   */
  const round = async (objects: readonly KubeObject[]): Promise<string[]> => {
    called.length = 0;
    await patrol.round();
    const keys = new Set(called);
    await reconcile(
      objects.filter(({ kind, metadata: { namespace, name } }) => keys.has(`${kind} ${namespace}/${name}`)),
    );
    return [...keys].sort();
  };
  return { cnf, cluster, reconcile, round };
}

/** Waits for further changes only briefly. */
const quick: SessionOptions = { gatherMs: 5, settleMs: 5 };

/** A manual change for each collection, on the object of the samples. */
const drifts: Readonly<Record<string, readonly [name: string, change: Readonly<Record<string, unknown>>]>> = {
  "mwan3/v1/policies": ["my_policy", { members: [{ interface: "net1", metric: "7", weight: "2" }] }],
  "mwan3/v1/rules": ["my_rule", { dest_port: "444" }],
  "firewall/v1/zones": [cnfName("FirewallZone", "a-zone-with-a-long-name"), { input: "DROP" }],
  "firewall/v1/rules": ["my-rule", { target: "ACCEPT" }],
  "firewall/v1/forwardings": ["my-forwarding", { family: "ipv4" }],
  "firewall/v1/redirects": ["my-snat", { src_dip: "4.3.2.1" }],
  "ipsec/v1/proposals": ["my_proposal", { encryption_algorithm: "aes128" }],
  "ipsec/v1/remotes": ["my_host", { pre_shared_key: "known-to-all" }],
  "networkfirewall/v1/rules": ["my-rule", { dest_port: "54" }],
  "nat/v1/nats": ["my-nat", { dest_port: "444" }],
  "route/v1/routes": ["my-route", { dst: "172.22.0.0/16" }],
  "rule/v1/rules": ["my-rule", { prio: "651" }],
};

const metadata = (name: string) => ({ name, namespace: "default", labels: { sdewanPurpose: "edge7" } });

const bulk = {
  FirewallRule: (cluster: FakeCluster, name: string, index: number) =>
    cluster.put(FirewallRule, {
      metadata: metadata(name),
      spec: { src_ip: `10.0.${index}.0/24`, proto: "tcp", dest_port: "80", target: "DROP" },
    }),
  CNFRouteRule: (cluster: FakeCluster, name: string, index: number) =>
    cluster.put(CNFRouteRule, { metadata: metadata(name), spec: { src: `10.0.${index}.0/24`, table: "40" } }),
};

const packet = { src_mac: "00:11:22:33:44:55", mark: "0x1", target: "DROP" };
const translation = { src_ip: "10.9.0.0/16", src_port: "1000", proto: "tcp", family: "ipv4" };

/** A resource of each kind that is kept in order, with as many fields as possible. */
const ordered: Readonly<Record<string, object>> = {
  FirewallZone: {
    network: ["ovn-net1"],
    masq: "1",
    masq_src: ["10.9.0.0/16", "!10.8.0.0/16"],
    subnet: ["10.7.0.0/16"],
  },
  Mwan3Rule: {
    policy: "p",
    src_ip: "10.9.0.0/16",
    src_port: "",
    dest_ip: "",
    dest_port: "443",
    proto: "tcp",
    family: "ipv4",
    sticky: "1",
    timeout: "60",
  },
  FirewallRule: {
    ...packet,
    src: "z1",
    dest: "z2",
    proto: "icmp",
    icmp_type: ["echo-request", "echo-reply"],
    extra: "-m state",
  },
  FirewallSNAT: { ...translation, src_dip: "10.1.1.1", dest: "z1", dest_ip: "10.2.2.2" },
  FirewallDNAT: {
    ...translation,
    src: "z1",
    src_dport: "80",
    dest_ip: "10.2.2.2",
    dest_port: "8080",
    src_mac: packet.src_mac,
  },
  NetworkFirewallRule: {
    ...packet,
    src: "#default",
    dest: "net1",
    proto: "icmp",
    icmp_type: ["echo-request", "echo-reply"],
  },
  CNFNAT: {
    src: "net1",
    src_ip: "10.9.0.0/16",
    src_dport: "80",
    proto: "tcp",
    dest_ip: "10.2.2.2",
    dest_port: "8080",
    target: "DNAT",
    index: "0",
  },
  CNFRouteRule: { src: "10.9.0.0/16", dst: "10.8.0.0/16", fwmark: "0x20", table: "40", not: true },
};
/** The field that an edit changes, and its new value. */
const edits: Readonly<Record<string, object>> = {
  FirewallZone: { input: "DROP" },
  Mwan3Rule: { dest_port: "8443" },
  CNFRouteRule: { table: "41" },
};

describe.each([
  ["as specified", false],
  ["with the reference's quirks", true],
])("a CNF %s", (_name, quirks) => {
  it.each(Object.entries(ordered))(
    "has objects of kind %s in order after an edit in the middle, and keeps the others as they are",
    async (name, spec) => {
      const { cnf, cluster, reconcile } = await start(quirks, undefined, quick);
      const kind: CnfKind = ruleKinds.find((each) => each.kind.kind === name) ?? expect.unreachable();
      const put = (own: string, fields: object, more: object = {}) =>
        cluster.put(kind.kind, { metadata: { ...metadata(own), ...more }, spec: fields });
      const zones = ["z1", "z2"].map((own) =>
        cluster.put(FirewallZone, { metadata: metadata(own), spec: { network: ["ovn-net1"] } }),
      );
      const policy = cluster.put(Mwan3Policy, {
        metadata: metadata("p"),
        spec: { members: [{ network: "ovn-net1", metric: 1, weight: 1 }] },
      });
      await reconcile([...zones, policy]);
      const names = ["a", "b", "c", "d"];
      const rules = names.map((own) => put(own, spec));
      await reconcile(rules);
      const client = new OpenWrtClient({ url: cnf.url, password: "pass" });
      closers.push(() => client.close());
      const stored = async () => {
        const all = await client.collection<{ name: string }>(kind.path).list();
        return all.filter((object) => names.includes(object.name));
      };
      const before = await stored();
      expect(
        rules.map(({ metadata: { name: own } }) => cluster.peek(kind.kind, `default/${own}`)?.status),
      ).toMatchObject(names.map(() => ({ state: "In Sync" })));
      const changed = put("b", { ...spec, ...(edits[name] ?? { src_ip: "10.3.0.0/16" }) }, { generation: 2 });
      await reconcile([changed]);
      const after = await stored();
      const inOrder = kind.precedence === "last" ? names.toReversed() : names;
      expect([before, after].map((all) => all.map((object) => object.name))).toEqual([inOrder, inOrder]);
      for (const [index, object] of after.entries())
        if (object.name === "b") expect(object).not.toEqual(before[index]);
        else expect(object).toEqual(before[index]);
    },
  );

  it.each(Object.entries(bulk))(
    "gets 200 objects of kind %s with few requests and restarts, and loses them in the same way",
    async (_kind, put) => {
      const { cnf, cluster, reconcile } = await start(quirks);
      const objects = Array.from({ length: 200 }, (_, index) => put(cluster, `rule-${index}`, index));
      // On a busy machine, the CNF may count as slow, so that some rules must be reconciled again.
      const repeat = async (isLeft: (object: KubeObject) => boolean): Promise<void> => {
        for (let round = 0; round < 5; round++) await reconcile(objects.filter(isLeft));
      };
      await repeat((object) => (cluster.get(object)?.status as { state?: string } | undefined)?.state !== "In Sync");
      const stored = objects.map((object) => cluster.get(object));
      expect(new Set(stored.map((object) => (object?.status as { state?: string })?.state))).toEqual(
        new Set(["In Sync"]),
      );
      expect(cnf.requests.total).toBeLessThanOrEqual(420);
      expect(cnf.requests.count({ path: /\/sdewan\/v1\/service\// })).toBeLessThan(10);

      cnf.requests.clear();
      for (const object of stored)
        if (object)
          cluster.restore({ ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } });
      await repeat((object) => cluster.get(object) !== undefined);
      expect(objects.flatMap((object) => cluster.get(object)?.status ?? [])).toEqual([]);
      expect(cnf.requests.total).toBeLessThanOrEqual(420);
      expect(cnf.requests.count({ path: /\/sdewan\/v1\/service\// })).toBeLessThan(10);
    },
  );

  it("becomes in sync with one object of each kind, given in any order, and then is only read", async () => {
    const { cnf, cluster, reconcile } = await start(quirks);
    const objects = samples("edge7")
      .reverse()
      .map((sample) => cluster.restore(sample));
    await reconcile(objects);
    const states = () =>
      objects.map((object) => {
        const { state, message } = (cluster.get(object)?.status ?? {}) as { state?: string; message?: string };
        return `${object.kind}: ${state} ${message ?? ""}`.trim();
      });
    expect(states()).toEqual(objects.map(({ kind }) => `${kind}: In Sync`));
    cnf.requests.clear();
    await reconcile(objects);
    expect(new Set(cnf.requests.entries.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("is not written by checks as long as its objects do not change", async () => {
    const { cnf, cluster, reconcile, round } = await start(quirks);
    const objects = samples("edge7").map((sample) => cluster.restore(sample));
    await reconcile(objects);
    cnf.requests.clear();
    for (let index = 0; index < 4; index++) expect(await round(objects)).toEqual([]);
    expect(new Set(cnf.requests.entries.map(({ method }) => method))).toEqual(new Set(["GET"]));
    // Nor by reconciles for other reasons.
    await reconcile(objects);
    expect(new Set(cnf.requests.entries.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it.each(Object.entries(drifts))("has manual changes reverted: %s", async (path, [name, change]) => {
    const { cnf, cluster, reconcile, round } = await start(quirks, undefined, quick);
    const objects = samples("edge7").map((sample) => cluster.restore(sample));
    await reconcile(objects);
    const hand = new OpenWrtClient({ url: cnf.url, password: "pass" });
    closers.push(() => hand.close());
    const collection = hand.collection<{ readonly name: string }>(path);
    const before = await collection.get(name);
    for (const when of ["before the first round", "after a round"]) {
      await collection.put(name, { ...before, ...change });
      expect(await collection.get(name), when).not.toEqual(before);
      expect(await round(objects), when).toHaveLength(1);
      expect(await collection.get(name), when).toEqual(before);
      expect(await round(objects), when).toEqual([]);
    }
  });

  it("has manual changes of certificates reverted, although it does not return them as sent", async () => {
    const { cnf, cluster, reconcile, round } = await start(quirks, undefined, quick);
    const objects = samples("edge7").map((sample) => cluster.restore(sample));
    await reconcile(objects);
    const hand = new OpenWrtClient({ url: cnf.url, password: "pass" });
    closers.push(() => hand.close());
    const remotes = hand.collection<{ readonly name: string }>("ipsec/v1/remotes");
    const before = await remotes.get("my_site");
    const certificates = { local_public_cert: "cHVibGlj", shared_ca: "Y2E=___Y2Ey" };
    await remotes.put("my_site", { ...before, ...certificates, local_private_cert: "bm90IHRoYXQ=" });
    expect(await round(objects)).toEqual(["IpsecSite default/my-site"]);
    expect(await remotes.get("my_site")).toEqual(before);
    expect(await round(objects)).toEqual([]);
  });

  it("accepts a rule that was created before the objects it refers to", async () => {
    const { cluster, reconcile } = await start(quirks);
    const [rule, policy] = ["Mwan3Rule", "Mwan3Policy"].map((kind) => {
      const sample = samples("edge7").find((each) => each.kind === kind);
      if (!sample) throw new Error(`no sample of ${kind}`);
      return sample;
    });
    if (!rule || !policy) return;
    await reconcile([cluster.restore(rule)]);
    expect(cluster.peek(Mwan3Rule, "default/my-rule")?.status?.state).toBe("Trying to apply");
    await reconcile([cluster.restore(policy)]);
    await reconcile([rule]);
    expect(cluster.peek(Mwan3Rule, "default/my-rule")?.status?.state).toBe("In Sync");
  });

  /** Returns the destinations of the rules of a chain that match a port, in the order in which the kernel tries them. */
  const targetsIn = (cnf: CnfSimulator, port: string): string[] =>
    cnf.iptables
      .rules("nat", "PREROUTING")
      .filter((rule) => rule.includes(`--dport ${port} `))
      .map((rule) => /--to-destination 10\.0\.0\.(\d+)/.exec(rule)?.[1] ?? rule);

  it.each([
    ["before the firewall's own rules", false],
    ["behind the firewall's own rules", true],
  ])("keeps translations with one index in order, edited in any order, %s", async (_, reloads) => {
    const { cnf, cluster, reconcile } = await start(quirks);
    const nat = (name: string, address: number, more: { index?: string; src_dport?: string; order?: string } = {}) => {
      const { order, ...fields } = more;
      const stored = cluster.peek(CNFNAT, `default/${name}`);
      return cluster.put(CNFNAT, {
        ...stored,
        metadata: {
          ...stored?.metadata,
          ...metadata(name),
          generation: (stored?.metadata.generation ?? 0) + 1,
          ...(order === undefined ? {} : { annotations: { "sdewan.akraino.org/order": order } }),
        },
        spec: {
          ...{ proto: "tcp", src_dport: "8443", dest_ip: `10.0.0.${address}`, dest_port: "443", target: "DNAT" },
          ...{ index: "2", ...fields },
        },
      } as never);
    };
    if (reloads)
      await reconcile([
        cluster.put(FirewallZone, { metadata: metadata("wan"), spec: { network: ["ovn-net1"], input: "ACCEPT" } }),
      ]);
    const seen = (): string[] => targetsIn(cnf, "8443");
    await reconcile([nat("c", 3), nat("other", 9, { src_dport: "9443" })]);
    await reconcile([nat("b", 2)]);
    await reconcile([nat("a", 1)]);
    expect(seen()).toEqual(["1", "2", "3"]);
    for (const [name, address] of [
      ["a", 4],
      ["c", 6],
      ["b", 5],
      ["a", 7],
    ] as const)
      await reconcile([nat(name, address)]);
    expect(seen()).toEqual(["7", "5", "6"]);
    await reconcile([nat("c", 6, { order: "-1" })]);
    expect(seen()).toEqual(["6", "7", "5"]);
    cnf.requests.clear();
    await reconcile([nat("other", 8, { src_dport: "9443" })]);
    expect(cnf.requests.entries.filter(({ method }) => method !== "GET").map(({ method }) => method)).toEqual(
      reloads ? ["PUT", "PUT"] : ["PUT"],
    );
    const effects = ["a", "b", "c"].map((name) => {
      const object = cluster.peek(CNFNAT, `default/${name}`) ?? expect.unreachable();
      return shadowsOver({ reader: cluster.client }, { kind: cnfNat, object }, { purpose: "edge7" });
    });
    const shadows = (await Promise.all(effects)).map((found) => found.map(({ object }) => object.metadata.name));
    expect(shadows).toEqual([["c"], ["c"], []]);
  });

  it("keeps the rule of an object if an equal one of another object is deleted or changed", async () => {
    const { cnf, cluster, reconcile } = await start(quirks);
    const rule = (name: string, port: string, generation = 1) =>
      cluster.put(NetworkFirewallRule, {
        ...cluster.peek(NetworkFirewallRule, `default/${name}`),
        metadata: { ...cluster.peek(NetworkFirewallRule, `default/${name}`)?.metadata, ...metadata(name), generation },
        spec: { src: "#default", proto: "udp", dest_port: port, target: "DROP" },
      } as never);
    const ports = (): string[] =>
      cnf.iptables.rules("filter", "INPUT").flatMap((each) => /--dport (\d+)/.exec(each)?.[1] ?? []);
    await reconcile([rule("a", "53"), rule("b", "54"), rule("c", "53"), rule("d", "55")]);
    expect(ports()).toEqual(["53", "54", "53", "55"]);
    await reconcile([rule("c", "56", 2)]);
    expect(ports()).toEqual(["53", "54", "56", "55"]);
    await reconcile([rule("d", "53", 2)]);
    await cluster.client.delete(NetworkFirewallRule, "default/d");
    await reconcile([cluster.peek(NetworkFirewallRule, "default/d") ?? expect.unreachable()]);
    expect(ports()).toEqual(["53", "54", "56"]);
    cnf.requests.clear();
    await cluster.client.delete(NetworkFirewallRule, "default/b");
    await reconcile([cluster.peek(NetworkFirewallRule, "default/b") ?? expect.unreachable()]);
    expect(cnf.requests.entries.map(({ method }) => method)).toEqual(["GET", "DELETE"]);
  });

  it("reloads the firewall after a packet filter rule, so that the rule comes before those of zones", async () => {
    const { cnf, cluster, reconcile } = await start(quirks);
    const rule = (name: string) =>
      cluster.put(NetworkFirewallRule, {
        metadata: metadata(name),
        spec: { src: "#default", proto: "udp", dest_port: name, target: "DROP" },
      } as never);
    const inputs = (): string[] =>
      cnf.iptables.chain("filter", "INPUT").map((each) => /--dport (\d+)/.exec(each)?.[1] ?? "firewall");
    await reconcile([rule("53")]);
    expect(inputs().at(-1)).toBe("53"); // without a firewall configuration, nothing is reloaded
    await reconcile([
      cluster.put(FirewallZone, { metadata: metadata("wan"), spec: { network: ["ovn-net1"], input: "ACCEPT" } }),
    ]);
    await reconcile([rule("54")]);
    expect(inputs().slice(0, 3)).toEqual(["53", "54", "firewall"]);
    cnf.requests.clear();
    await cluster.client.delete(NetworkFirewallRule, "default/54");
    await reconcile([cluster.peek(NetworkFirewallRule, "default/54") ?? expect.unreachable()]);
    expect(cnf.requests.entries.map(({ method }) => method)).toEqual(["GET", "DELETE"]);
  });

  it("refuses a DNAT without destination, as recorded, and the status names the missing field until it is set", async () => {
    const file = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
    const { vectors } = JSON.parse(await file("../../packages/openwrt/testdata/vectors.json"));
    const recorded: { response: { status: number; body: { message: string } } } = vectors.find(
      ({ request: { method, path, body } }: { request: { method: string; path: string; body?: object } }) =>
        method === "POST" && path.endsWith("/nats") && JSON.stringify(body) === '{"name":"x","target":"DNAT"}',
    );
    expect(recorded.response.status).toBe(400);

    const { cnf, cluster, reconcile } = await start(quirks, ["iface1", "iface2"]);
    const sample = parse(await file("testdata/reference-samples/batch_v1alpha1_cnfnat.yaml"));
    const nat = cluster.put(CNFNAT, { ...sample, metadata: { ...sample.metadata, ...metadata("nat-sample") } });
    await reconcile([nat]);
    const refused = cluster.peek(CNFNAT, "default/nat-sample");
    expect(refused?.status).toMatchObject({
      state: "Trying to apply",
      message: expect.stringContaining(recorded.response.body.message),
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason: "Refused" }),
        expect.objectContaining({ type: "Reachable", status: "True" }),
      ]),
    });
    expect(JSON.stringify(cnf.config())).not.toContain("nat-sample");

    await cluster.client.patch(CNFNAT, "default/nat-sample", { spec: { dest_ip: "192.168.1.3" } });
    await reconcile([nat]);
    expect(cluster.peek(CNFNAT, "default/nat-sample")?.status).toMatchObject({ state: "In Sync" });
  });
});

it("keeps the first of several routes to a destination in the kernel of a CNF with the reference's quirks, and then the next one", async () => {
  const { cnf, cluster, reconcile } = await start(true);
  const route = (name: string, more: object, generation = 1, order = "0") =>
    cluster.put(CNFRoute, {
      ...cluster.peek(CNFRoute, `default/${name}`),
      metadata: {
        ...{ ...cluster.peek(CNFRoute, `default/${name}`)?.metadata, ...metadata(name), generation },
        annotations: { ...cluster.peek(CNFRoute, `default/${name}`)?.metadata.annotations, [orderAnnotation]: order },
      },
      spec: { dst: "172.21.0.5", table: "cnf", ...more },
    } as never);
  const inKernel = (): readonly string[] => cnf.kernel.routesOf("40").toSorted();
  const shadowsOf = (name: string) => {
    const object = cluster.peek(CNFRoute, `default/${name}`) ?? expect.unreachable();
    return shadowsOver({ reader: cluster.client }, { kind: cnfRoute, object }, { purpose: "edge7" });
  };
  await reconcile([route("b", { dev: "net1", dst: "172.21.0.5/32" }), route("c", { dev: "net2" })]);
  await reconcile([route("a", { dev: "net2", gw: "10.44.7.1" }), route("d", { dev: "net2", dst: "172.22.0.0/16" })]);
  expect(inKernel()).toEqual(["172.21.0.5 via 10.44.7.1 dev net2", "172.22.0.0/16 dev net2"]);
  expect(await shadowsOf("b")).toEqual([]); // the kernel may have rejected a route with a gateway
  expect((await shadowsOf("c")).map(({ object }) => object.metadata.name)).toEqual(["b"]);
  await reconcile([route("a", { dev: "net2", dst: "default" }, 2)]);
  expect(inKernel()).toEqual(["172.21.0.5 dev net1", "172.22.0.0/16 dev net2", "default dev net2"]);
  await reconcile([route("c", { dev: "net2" }, 1, "-1")]);
  expect(inKernel()).toContain("172.21.0.5 dev net2");
  await reconcile([route("c", { dev: "net2" }, 1, "1")]);
  expect(inKernel()).toContain("172.21.0.5 dev net1");
  await cluster.client.delete(CNFRoute, "default/b");
  await reconcile([cluster.peek(CNFRoute, "default/b") ?? expect.unreachable()]);
  expect(inKernel()).toContain("172.21.0.5 dev net2");
  cnf.requests.clear();
  await cluster.client.delete(CNFRoute, "default/a");
  await reconcile([cluster.peek(CNFRoute, "default/a") ?? expect.unreachable()]);
  expect(cnf.requests.entries.map(({ method }) => method)).toEqual(["GET", "DELETE"]);
});
