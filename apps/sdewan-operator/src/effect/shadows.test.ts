import type { ReadWriter } from "@kubewright/client";
import { type Clock, EventLoopShare } from "@kubewright/clock";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { orderAnnotation } from "../api/group.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { cnfNat } from "../kinds/cnf-nat.ts";
import { firewallRule } from "../kinds/firewall-rules.ts";
import { mwan3Rule } from "../kinds/mwan3-rule.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { packetsOf } from "./rule-packets.ts";
import { mayBeShadowedBy, shadowsOver } from "./shadows.ts";

const place = { namespace: "default", purpose: "edge" };
const inSync = { state: "In Sync" };

interface Settings {
  readonly order?: string;
  readonly state?: string;
  readonly namespace?: string;
  readonly purpose?: string;
  readonly second?: number;
}

const metadata = (name: string, { order, namespace = "default", purpose = "edge", second = 0 }: Settings = {}) => ({
  name,
  namespace,
  labels: { sdewanPurpose: purpose },
  creationTimestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
  ...(order === undefined ? {} : { annotations: { [orderAnnotation]: order } }),
});

function start(kind: CnfKind = firewallRule) {
  const cluster = new FakeCluster();
  for (const zone of ["lan", "wan", "dmz"])
    cluster.put(FirewallZone, { metadata: metadata(zone), spec: { network: [zone] }, status: inSync });
  const add = (name: string, spec: object, settings: Settings = {}) =>
    cluster.put(kind.kind, {
      metadata: metadata(name, settings),
      spec,
      status: { state: settings.state ?? "In Sync" },
    } as never);
  const names = async (found: ReturnType<typeof shadowsOver>) =>
    (await found).map(({ object }) => object.metadata.name);
  const find = (name: string) => {
    const object = cluster.peek(kind.kind, `default/${name}`);
    if (!object) throw new Error(`no rule ${name}`);
    return { kind, object };
  };
  const scope = CnfScope.from("same");
  const over = (name: string, reader: ReadWriter = cluster.client, share?: EventLoopShare) =>
    names(shadowsOver({ reader, scope, ...(share && { share }) }, find(name), place));
  const below = async (name: string, share?: EventLoopShare) =>
    (
      await names(mayBeShadowedBy({ reader: cluster.client, scope, ...(share && { share }) }, find(name), place))
    ).sort();
  return { cluster, add, over, below };
}

const web = { src: "wan", dest: "lan", proto: "tcp", dest_port: "80" };

describe("a rule is shadowed", () => {
  it("by an earlier rule that decides all of its packets, and by the first of several", async () => {
    const { add, over } = start();
    add("a", { ...web, src_ip: "10.0.0.0/8", target: "DROP" });
    add("b", { ...web, target: "ACCEPT" });
    add("c", { ...web, src_ip: "10.1.0.0/16", target: "REJECT" });
    expect([await over("a"), await over("b"), await over("c")]).toEqual([[], [], ["a"]]);
  });

  it("by several rules together, if each decides one of its protocols", async () => {
    const { add, over } = start();
    add("a", { ...web, target: "DROP" });
    add("b", { ...web, proto: "udp", target: "DROP" });
    add("c", { ...web, proto: "tcpudp", target: "ACCEPT" });
    add("d", { ...web, proto: "all", dest_port: "", target: "ACCEPT" });
    expect([await over("c"), await over("d")]).toEqual([["a", "b"], []]);
  });

  it("in the order of the annotation, then of the creation, then of the names", async () => {
    const { add, over } = start();
    add("z", { ...web, target: "DROP" }, { second: 1 });
    add("a", { ...web, target: "DROP" }, { second: 2 });
    expect([await over("z"), await over("a")]).toEqual([[], ["z"]]);
    add("a", { ...web, target: "DROP" }, { second: 2, order: "-1" });
    expect([await over("z"), await over("a")]).toEqual([["a"], []]);
    add("a", { ...web, target: "DROP" }, { second: 2, order: "first" });
    expect([await over("z"), await over("a")]).toEqual([[], []]);
    add("b", { ...web, target: "DROP" }, { second: 1 });
    expect([await over("z"), await over("b")]).toEqual([["b"], []]);
  });

  it.each([
    ["between other zones", { ...web, dest: "dmz" }],
    ["to the CNF itself", { ...web, dest: "" }],
    ["with a target that decides nothing", { ...web, dest: "", target: "MARK", set_mark: "1" }],
    ["with a target that decides nothing", { ...web, target: "NOTRACK" }],
    ["with additional arguments", { ...web, extra: "-m limit --limit 1/s" }],
    ["to a zone that no resource describes", { ...web, dest: "hand" }],
  ])("not by a rule %s", async (_what, other) => {
    const { add, over } = start();
    add("a", { target: "DROP", ...other });
    add("b", { ...web, target: "DROP" });
    add("c", { ...web, dest: "hand", target: "DROP" });
    expect([await over("b"), await over("c")]).toEqual([[], []]);
  });

  it("not by a rule that the CNF does not have, or that is for another CNF", async () => {
    const { cluster, add, over } = start();
    add("a", { ...web, target: "DROP" }, { state: "Trying to apply" });
    add("b", { ...web, target: "DROP" }, { purpose: "other" });
    add("c", { ...web, target: "DROP" }, { namespace: "elsewhere" });
    const d = add("d", { ...web, target: "DROP" });
    add("e", { ...web, target: "DROP" });
    expect(await over("e")).toEqual(["d"]);
    cluster.put(FirewallRule, {
      ...d,
      metadata: { ...d.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" },
    } as never);
    expect(await over("e")).toEqual([]);
  });

  it("not by a rule of mwan3 whose policy is not a policy", async () => {
    const { cluster, add, over } = start(mwan3Rule);
    cluster.put(Mwan3Policy, { metadata: metadata("balance"), spec: { members: [] }, status: inSync });
    const any = {
      src_ip: "",
      src_port: "",
      dest_ip: "",
      dest_port: "",
      proto: "",
      family: "",
      sticky: "",
      timeout: "",
    };
    add("a", { ...any, policy: "net1" });
    add("b", { ...any, policy: "balance", dest_port: "443" });
    add("c", { ...any, policy: "balance", dest_ip: "10.0.0.1" });
    expect([await over("b"), await over("c")]).toEqual([[], ["b"]]); // only TCP and UDP have ports
    expect(cluster.peek(Mwan3Rule, "default/a")).toBeDefined();
  });

  it("only by a translation at the same position in the chain, because the position decides otherwise", async () => {
    const { add, over, below } = start(cnfNat);
    const nat = { proto: "tcp", src_dport: "8443", dest_ip: "10.0.0.1", dest_port: "443", target: "DNAT" };
    add("a", { ...nat, index: "2" });
    add("b", { ...nat, dest_ip: "10.0.0.2", index: "2" });
    add("c", { ...nat, dest_ip: "10.0.0.3" });
    add("d", { ...nat, dest_ip: "10.0.0.4", index: "0", src_ip: "10.9.0.0/16" });
    add("e", { ...nat, dest_ip: "10.0.0.5", index: "3" });
    const all = await Promise.all(["a", "b", "c", "d", "e"].map((name) => over(name)));
    expect(all).toEqual([[], ["a"], [], ["c"], []]);
    expect([await below("a"), await below("b")]).toEqual([["b"], []]);
  });
});

describe("rules that a rule may shadow", () => {
  it("come after it, and are contained in it at least in part", async () => {
    const { add, below } = start();
    add("a", { ...web, src_ip: "10.1.2.3", target: "DROP" });
    add("b", { ...web, src_ip: "10.0.0.0/8", target: "DROP" });
    add("c", { ...web, src_ip: "10.1.0.0/16", target: "DROP" });
    add("d", { ...web, proto: "tcpudp", src_ip: "10.1.0.0/16", target: "DROP" });
    add("e", { ...web, dest_port: "81", src_ip: "10.1.0.0/16", target: "DROP" });
    add("f", { src: "wan", dest: "lan", proto: "all", target: "DROP" });
    add("g", { ...web, target: "DROP" });
    expect([await below("b"), await below("f"), await below("g")]).toEqual([["c", "d"], ["g"], []]);
  });
});

describe("with 2,000 rules on a CNF", () => {
  it("a new rule is compared with those of its protocol and port only, and never more than a few times with each", async () => {
    const { cluster, add, over, below } = start();
    for (let index = 0; index < 1_000; index++) {
      const name = String(index).padStart(4, "0");
      add(`p${name}`, { ...web, dest_port: String(1_000 + index), target: "DROP" });
      add(`s${name}`, { ...web, src_ip: `10.0.${index >> 8}.${index & 255}`, target: "DROP" });
    }
    let listed = 0;
    const reader: ReadWriter = {
      ...cluster.client,
      list: async (kind, options) => {
        const found = await cluster.client.list(kind, options);
        listed += found.length;
        return found;
      },
    };
    add("z-port", { ...web, dest_port: "1500", src_ip: "10.0.0.0/8", target: "ACCEPT" });
    expect(await over("z-port", reader)).toEqual(["p0500"]);
    expect(listed).toBeLessThan(10);
    listed = 0;
    add("z-address", { ...web, src_ip: "10.0.1.7", dest_ip: "10.0.0.1", target: "ACCEPT" });
    expect(await over("z-address", reader)).toEqual(["s0263"]);
    expect(listed).toBeLessThan(1_010);
    expect(await below("z-port")).toEqual([]);
  });
});

describe("many rules for many ICMP types", () => {
  const types = ["ping", "pong", "redirect", "source-quench", "any", "time-exceeded", "router-advertisement"];
  const icmp = (names: readonly string[]) => ({ proto: "icmp", family: "ipv4", target: "DROP", icmp_type: names });

  it("are compared by type", async () => {
    const { add, over, below } = start();
    add("a", icmp(["ping", "pong"]));
    add("b", icmp(["redirect"]));
    add("c", icmp(["network-redirect", "ping"]));
    add("d", icmp(["pong", "time-exceeded"]));
    add("e", icmp(["any"]));
    add("f", icmp(types));
    expect([await over("c"), await over("d"), await over("f")]).toEqual([["a", "b"], [], ["a", "b", "d", "e"]]);
    expect([await below("a"), await below("e")]).toEqual([["c", "d", "f"], ["f"]]);
  });

  it("do not delay other work", async () => {
    const { add, over, below } = start();
    for (let index = 0; index < 200; index++) add(`rule-${index}`, icmp(types));
    let now = 0;
    const share = new EventLoopShare({ monotonic: () => now++ } as Clock);
    const turns = async (work: Promise<unknown>): Promise<number> => {
      let [count, isDone] = [0, false];
      const otherWork = () => {
        count++;
        if (!isDone) setImmediate(otherWork);
      };
      setImmediate(otherWork);
      await work;
      isDone = true;
      return count;
    };
    expect(await turns(over("rule-99", undefined, share))).toBeGreaterThan(10);
    expect(await turns(below("rule-0", share))).toBeGreaterThan(10);
  });
});

describe("the packets of a rule whose definition has no patterns", () => {
  it.each(["constructor", "__proto__", "toString"])("are unclear with the protocol %s", async (proto) => {
    const { add, over } = start();
    add("all", { proto: "all", target: "DROP" });
    add("odd", { proto, target: "DROP" }, { second: 1 });
    add("later", { proto, target: "DROP" }, { second: 2 });
    expect(await over("later")).toEqual(["all"]);
    expect(packetsOf(FirewallRule, { proto, target: "DROP" })?.certain).toEqual([]);
  });

  it("are limited in number, however many ICMP types it has", () => {
    const spec = (names: readonly string[]) => ({ proto: "icmp", target: "DROP", icmp_type: names });
    const many = Array.from({ length: 100_000 }, (_, index) => `type-${index}`);
    expect(packetsOf(FirewallRule, spec(many))).toMatchObject({ possible: { length: 2 }, certain: [] });
    expect(packetsOf(FirewallRule, spec(many.map(() => "ping")))?.certain).toHaveLength(2);
  });
});
