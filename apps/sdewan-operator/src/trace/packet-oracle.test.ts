import type { Unstructured } from "@kubewright/apimachinery";
import type { Deployment, Pod } from "@kubewright/client/kinds";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { describe, expect, it } from "vitest";
import { inApp, readManifests } from "../../demo/manifests.ts";
import { purposeLabel } from "../api/group.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { attachedNetworks } from "../cnf/networks.ts";
import { cnfHubSite } from "../composites/cnf-hub-site.ts";
import { cnfLocalService } from "../composites/cnf-local-service.ts";
import { cnfService } from "../composites/cnf-service.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { dotted, type FlowTexts, flowOf } from "./flow.ts";
import { reportedCnf } from "./reported-cnf.ts";
import { type Trace, traceOf } from "./trace.ts";
import type { TracedCnf } from "./traced-cnf.ts";

/**
 * A second implementation of what a CNF does with a packet. It shares no code with the trace: it expands the UCI files of a simulated CNF to
 * chains of iptables as fw3 does, and then interprets them, rule by rule, on concrete packets.
 */
interface Bits {
  src: number;
  dst: number;
  readonly proto: string;
  sport: number;
  dport: number;
  mark: number;
  readonly iif: string;
  oif: string;
  dnat: boolean;
}
type Chain = readonly ((packet: Bits) => string | undefined)[];

const number = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
function inNet(address: number, net: string): boolean {
  const [base = "", bits = "32"] = net.split("/");
  const size = 2 ** (32 - Number(bits));
  return Math.floor(address / size) === Math.floor(number(base) / size);
}

type Section = Readonly<Record<string, string | readonly string[]>>;

class Oracle {
  readonly #simulator: CnfSimulator;

  constructor(simulator: CnfSimulator) {
    this.#simulator = simulator;
  }

  #sections(config: string, type: string): readonly Section[] {
    const { uci } = this.#simulator;
    return uci.has(config)
      ? uci.sections(config, type).map(({ id, options }) => ({ ".id": id, ...Object.fromEntries(options) }))
      : [];
  }

  decide(packet: Bits): { readonly action: string; readonly path: string } {
    const choice = this.#mangle(packet);
    this.#run(this.#table("nat", "PREROUTING"), packet);
    const { interfaces } = this.#simulator.kernel;
    if (interfaces.some(({ ip }) => number(ip) === packet.dst) || inNet(packet.dst, "127.0.0.0/8")) {
      packet.oif = "";
      const verdict = this.#run(this.#table("filter", "INPUT"), packet) ?? "ACCEPT";
      return { action: verdict, path: "input" };
    }
    const device = this.#route(packet, choice);
    if (device === undefined) return { action: "unroutable", path: "forward" };
    packet.oif = device;
    const verdict = this.#run(this.#table("filter", "FORWARD"), packet) ?? "ACCEPT";
    if (verdict === "ACCEPT") this.#run(this.#table("nat", "POSTROUTING"), packet);
    return { action: verdict, path: "forward" };
  }

  #run(chain: Chain, packet: Bits): string | undefined {
    for (const rule of chain) {
      const verdict = rule(packet);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  /** Marks of rules on interfaces, then mwan3, then marks of the firewall. Returns the number of mwan3's interface. */
  #mangle(packet: Bits): number {
    for (const line of this.#simulator.iptables.chain("mangle", "PREROUTING")) this.#line(line, "mangle")(packet);
    const choice = this.#mwan3(packet);
    for (const rule of this.#sections("firewall", "rule"))
      if (rule.target === "MARK" && !this.#isSkipped(rule) && !rule.dest && rule.src && this.#matches(rule, packet))
        packet.mark = marked(packet.mark, String(rule.set_mark ?? ""), String(rule.set_xmark ?? ""), false);
    return choice;
  }

  #mwan3(packet: Bits): number {
    const names = this.#sections("mwan3", "interface").map((each) => String(each[".id"]));
    const connected = this.#simulator.kernel
      .routesOf("main")
      .map((text) => text.split(" ")[0] ?? "")
      .filter((text) => text !== "default");
    const isConnected = (address: number): boolean =>
      connected.some((net) => inNet(address, net)) || address >= number("224.0.0.0");
    if (names.includes(packet.iif)) return isConnected(packet.src) ? 0 : names.indexOf(packet.iif) + 1;
    if (isConnected(packet.dst)) return 0;
    for (const rule of this.#sections("mwan3", "rule")) {
      const proto = rule.proto ?? "all";
      // mwan3 ignores the ports of other protocols.
      const fields = { ...rule, proto, ...(proto === "tcp" || proto === "udp" ? {} : { src_port: "", dest_port: "" }) };
      if (rule.family === "ipv6" || !this.#matches(fields, packet)) continue;
      const policy = this.#sections("mwan3", "policy").find((each) => each[".id"] === rule.use_policy);
      const members = [policy?.use_member ?? []]
        .flat()
        .flatMap((id) => this.#sections("mwan3", "member").filter((each) => each[".id"] === id));
      members.sort((a, b) => Number(a.metric) - Number(b.metric));
      return names.indexOf(String(members[0]?.interface)) + 1;
    }
    return 0;
  }

  #route(packet: Bits, choice: number): string | undefined {
    const { kernel } = this.#simulator;
    const names = this.#sections("mwan3", "interface").map((each) => String(each[".id"]));
    const main = kernel.routesOf("main");
    const deviceOf = (text: string): string => / dev (\S+)/.exec(text)?.[1] ?? "";
    const wanTable = (name: string): readonly string[] =>
      main.filter(
        (text) => deviceOf(text) === name || (!text.startsWith("default") && !names.includes(deviceOf(text))),
      );
    const lookUp = (routes: readonly string[]): string | undefined => {
      const found = routes
        .map((text) => ({ net: text.startsWith("default") ? "0.0.0.0/0" : (text.split(" ")[0] ?? ""), text }))
        .filter(({ net }) => inNet(packet.dst, net));
      const bits = (net: string): number => Number(net.split("/")[1] ?? 32);
      return found.sort((a, b) => bits(b.net) - bits(a.net)).map(({ text }) => deviceOf(text))[0];
    };
    const entry = names.indexOf(packet.iif) + 1;
    const steps: { prio: number; go: () => string | undefined | null }[] = kernel.rules
      .filter(({ table }) => table !== "local")
      .map(({ prio, from, to = "0.0.0.0/0", fwmark, not, table }) => ({
        prio,
        go: () => {
          const selected =
            (from === "all" || inNet(packet.src, from)) &&
            inNet(packet.dst, to) &&
            (fwmark === undefined || (choice === 0 && Number(fwmark) === packet.mark));
          return selected === not ? undefined : lookUp(kernel.routesOf(table));
        },
      }));
    if (entry > 0) steps.push({ prio: 1000 + entry, go: () => lookUp(wanTable(packet.iif)) });
    if (choice > 0) steps.push({ prio: 2000 + choice, go: () => lookUp(wanTable(names[choice - 1] ?? "")) });
    if (choice > 0) steps.push({ prio: 3000 + choice, go: () => null });
    steps.sort((a, b) => a.prio - b.prio);
    for (const { go } of steps) {
      const device = go();
      if (device !== undefined) return device ?? undefined;
    }
    return undefined;
  }

  #table(table: string, chain: string): Chain {
    return this.#simulator.iptables.chain(table, chain).map((line) => this.#line(line, table));
  }

  /** Interprets one line of a chain. */
  #line(line: string, table: string): (packet: Bits) => string | undefined {
    const words = line.split(" ");
    const after = (word: string): string | undefined =>
      words.includes(word) ? words[words.indexOf(word) + 1] : undefined;
    const target = after("-j") ?? "";
    if (words.includes("RELATED,ESTABLISHED") || target === "syn_flood" || target.endsWith("_rule"))
      return () => undefined;
    return (packet) => {
      const proto = after("-p");
      const isMatch =
        (after("-i") ?? packet.iif) === packet.iif &&
        (after("-o") ?? packet.oif) === packet.oif &&
        inNet(packet.src, after("-s") ?? "0.0.0.0/0") &&
        inNet(packet.dst, after("-d") ?? "0.0.0.0/0") &&
        (proto === undefined || proto === packet.proto) &&
        Number(after("--sport") ?? packet.sport) === packet.sport &&
        Number(after("--dport") ?? packet.dport) === packet.dport &&
        (after("--icmp-type") ?? "echo-request").replace("ping", "echo-request") === "echo-request" &&
        Number(after("--mark") ?? packet.mark) === packet.mark;
      if (!isMatch) return undefined;
      const [, zone = "", part = ""] = /^zone_(.*)_([a-z]+)$/.exec(target) ?? [];
      if (zone !== "") return this.#zone(zone, part, packet);
      if (target === "MARK")
        packet.mark = marked(packet.mark, after("--set-mark") ?? "", after("--set-xmark") ?? "", true);
      if (target === "DNAT") translate(packet, "dst", after("--to-destination") ?? "");
      if (target === "SNAT") translate(packet, "src", after("--to-source") ?? "");
      if (target === "REDIRECT") translate(packet, "dst", `${this.#addressOf(packet.iif)}:${after("--to-port")}`);
      if (target === "MASQUERADE") packet.src = number(this.#addressOf(packet.oif));
      if (table === "mangle") return undefined;
      return target === "reject" ? "REJECT" : target;
    };
  }

  #addressOf(device: string): string {
    return this.#simulator.kernel.interfaces.find(({ name }) => name === device)?.ip ?? "";
  }

  /** fw3 skips what refers to a zone for IPv6. */
  #isSkipped({ src, dest }: Section): boolean {
    const others = this.#sections("firewall", "zone").filter(({ family }) => family === "ipv6");
    return others.some(({ name }) => name === src || name === dest);
  }

  #hasOut(zone: string, packet: Bits): boolean {
    const all = this.#sections("firewall", "zone").filter((each) => each.name === zone);
    return all.some(({ network = [], subnet = [] }) => {
      const [devices, nets] = [[network].flat(), [subnet].flat()];
      return devices.includes(packet.oif) && (nets.length === 0 || nets.some((net) => inNet(packet.dst, net)));
    });
  }

  /** The chain of a zone, as fw3 fills it. */
  #zone(name: string, part: string, packet: Bits): string | undefined {
    const section = this.#sections("firewall", "zone").find((each) => each.name === name);
    if (!section || section.family === "ipv6") return undefined;
    const nets = [section.subnet ?? []].flat();
    const end = part === "postrouting" || part === "output" ? packet.dst : packet.src;
    if (nets.length > 0 && !nets.some((net) => inNet(end, net))) return undefined;
    if (part === "prerouting" || part === "postrouting") return this.#translations(section, part, packet);
    for (const rule of this.#sections("firewall", "rule")) {
      if (rule.target === "MARK" || this.#isSkipped(rule) || rule.src !== name) continue;
      if ((part === "forward") !== Boolean(rule.dest) || !this.#matches(rule, packet)) continue;
      if (rule.dest && !this.#hasOut(String(rule.dest), packet)) continue;
      return String(rule.target ?? "REJECT");
    }
    if (part === "forward")
      for (const each of this.#sections("firewall", "forwarding").filter((one) => !this.#isSkipped(one)))
        if (each.src === name && each.family !== "ipv6" && this.#hasOut(String(each.dest), packet)) return "ACCEPT";
    if (packet.dnat) return "ACCEPT";
    const policy = String(section[part] ?? "ACCEPT");
    return part === "input" || this.#hasOut(name, packet) ? policy : undefined;
  }

  #translations(zone: Section, part: string, packet: Bits): string | undefined {
    for (const redirect of this.#sections("firewall", "redirect")) {
      const isSource = redirect.target === "SNAT";
      if (this.#isSkipped(redirect)) continue;
      if (isSource !== (part === "postrouting") || redirect[isSource ? "dest" : "src"] !== zone.name) continue;
      const fields = isSource
        ? redirect
        : { ...redirect, dest_ip: redirect.src_dip ?? "", dest_port: redirect.src_dport ?? "" };
      if (!this.#matches(fields, packet)) continue;
      if (isSource) translate(packet, "src", `${redirect.src_dip}:${redirect.src_dport ?? ""}`);
      else {
        const port = redirect.dest_port ?? redirect.src_dport ?? "";
        translate(packet, "dst", `${redirect.dest_ip ?? this.#addressOf(packet.iif)}:${port}`);
      }
      return "NAT";
    }
    if (part !== "postrouting" || zone.masq !== "1") return undefined;
    for (const [field, address] of [["masq_src", packet.src] as const, ["masq_dest", packet.dst] as const]) {
      const nets = [zone[field] ?? []].flat();
      if (nets.some((net) => net.startsWith("!") && inNet(address, net.slice(1)))) return undefined;
      const allowed = nets.filter((net) => !net.startsWith("!"));
      if (allowed.length > 0 && !allowed.some((net) => inNet(address, net))) return undefined;
    }
    packet.src = number(this.#addressOf(packet.oif));
    return "MASQUERADE";
  }

  /** Compares the fields of a rule in UCI with a packet. */
  #matches(rule: Section, packet: Bits): boolean {
    const text = (field: string): string => String(rule[field] ?? "");
    if (text("family") === "ipv6") return false;
    const protocols = { tcpudp: ["tcp", "udp"], all: [packet.proto], "": ["tcp", "udp"] }[text("proto")] ?? [
      text("proto"),
    ];
    if (!protocols.includes(packet.proto)) return false;
    if (packet.proto !== "icmp" && text("src_port") !== "" && Number(text("src_port")) !== packet.sport) return false;
    if (packet.proto !== "icmp" && text("dest_port") !== "" && Number(text("dest_port")) !== packet.dport) return false;
    const types = [rule.icmp_type ?? []].flat();
    if (
      packet.proto === "icmp" &&
      types.length > 0 &&
      !types.some((type) => ["ping", "echo-request", "any"].includes(type))
    )
      return false;
    if (text("mark") !== "" && Number(text("mark")) !== packet.mark) return false;
    return inNet(packet.src, text("src_ip") || "0.0.0.0/0") && inNet(packet.dst, text("dest_ip") || "0.0.0.0/0");
  }
}

function translate(packet: Bits, end: "src" | "dst", text: string): void {
  const [address = "", port = ""] = text.split(":");
  packet[end] = number(address);
  if (port !== "" && port !== "undefined") packet[end === "src" ? "sport" : "dport"] = Number(port);
  if (end === "dst") packet.dnat = true;
}

function marked(mark: number, plain: string, xor: string, prefersXor: boolean): number {
  const isXor = plain === "" || (prefersXor && xor !== "");
  const [value = 0, mask = 0xff_ff_ff_ff] = (isXor ? xor : plain).split("/").map(Number);
  const kept = (mark & ~mask) >>> 0;
  return (isXor ? kept ^ value : kept | value) >>> 0;
}

/** Random numbers that a seed determines. */
function randomFrom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  return { below, one, maybe: <T>(value: T): T | "" => (next() < 0.5 ? value : "") };
}
type Random = ReturnType<typeof randomFrom>;

const kinds: readonly CnfKind[] = ruleKinds.toSorted((a, b) => a.rank - b.rank);

interface Sample {
  readonly simulator: CnfSimulator;
  readonly cnf: TracedCnf;
}

async function send(simulator: CnfSimulator, method: string, path: string, body?: UciObject): Promise<unknown> {
  const answer = await simulator.answer({
    method,
    path: `/cgi-bin/luci/sdewan/${path}`,
    headers: { "content-type": "application/json", ...(body ? { "content-length": "1" } : {}) },
    body: body && Buffer.from(JSON.stringify(body)),
    isChunked: false,
  });
  if (!answer || answer.status >= 400)
    throw new Error(`${method} ${path}: ${answer?.status} ${answer?.body} for ${JSON.stringify(body)}`);
  return JSON.parse(answer.body);
}

function podOf(deployment: Deployment): Pod {
  const metadata = deployment.spec?.template.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "cnf-0",
      namespace: deployment.metadata.namespace ?? "",
      annotations: metadata?.annotations ?? {},
    },
    status: { podIP: "10.244.0.2", phase: "Running" },
  } as Pod;
}

async function sampleOf(
  pod: Pod,
  resources: readonly Unstructured[],
  extra: readonly (readonly [string, UciObject])[] = [],
): Promise<Sample> {
  const networks = attachedNetworks(pod.metadata.annotations);
  const simulator = CnfSimulator.withoutServer({
    auth: "stock",
    interfaces: [
      { name: "eth0", ip: "10.244.0.2" },
      ...networks.map(({ interface: name, ipAddress = "10.9.0.2" }) => ({ name, ip: ipAddress })),
    ],
  });
  const named: { kind: CnfKind; rule: RuleObject; name: string }[] = [];
  const view = cnfViewOf(new FakeCluster().client, pod);
  for (const kind of kinds)
    for (const rule of resources.filter((each) => each.kind === kind.kind.kind) as RuleObject[]) {
      const name = kind.nameOnCnf(rule.metadata.name);
      await send(simulator, "POST", kind.path, { name, ...(await kind.toUci(rule, view)) });
      named.push({ kind, rule, name });
    }
  for (const [path, object] of extra) await send(simulator, "POST", path, object).catch(() => {}); // for example two routes to one destination
  await send(simulator, "PUT", "v1/service/firewall", { action: "reload" });
  const held = new Map(
    Object.entries(simulator.config()).map(([path, answer]) => [
      path,
      Object.values(Object(answer)).flat() as UciObject[],
    ]),
  );
  held.delete("ipsec/v1/remotes"); // the oracle ends where a packet leaves the CNF
  const modules = (await send(simulator, "GET", "v1/status")) as CnfModule[];
  return { simulator, cnf: reportedCnf(pod, held, named, modules) };
}

/** Children of the composites in the samples, for names that are resolved to these addresses. */
const facts = { sip: "10.96.0.9", localip: "10.96.0.9", remoteips: ["10.244.0.31", "10.244.0.32"] };
function childrenOf({ kind, metadata, spec }: Unstructured): Unstructured[] {
  const composite = [cnfService, cnfLocalService, cnfHubSite].find((each) => each.kind.kind === kind);
  const given = { ...facts, ...(kind === "CNFHubSite" ? { remoteips: [] } : {}), ...Object(spec) };
  return (composite?.children(metadata.name, given) ?? []).map(
    (child) =>
      ({
        apiVersion: "v1",
        kind: child.kind.kind,
        metadata: { ...metadata, name: child.name },
        spec: child.spec,
      }) as Unstructured,
  );
}

async function samples(): Promise<readonly Sample[]> {
  const resources = await readManifests(inApp("samples"));
  const deployments = (await readManifests(inApp("cnfs"))).filter(
    ({ kind }) => kind === "Deployment",
  ) as unknown as Deployment[];
  return Promise.all(
    deployments.map((deployment) => {
      const purpose = deployment.metadata.labels?.[purposeLabel];
      const own = resources.filter(({ metadata }) => metadata.labels?.[purposeLabel] === purpose);
      return sampleOf(podOf(deployment), [...own, ...own.flatMap(childrenOf)]);
    }),
  );
}

/** Addresses and ports that the configuration mentions, and some others. */
function poolOf({ simulator }: Sample): { readonly addresses: readonly string[]; readonly ports: readonly string[] } {
  const text = JSON.stringify(simulator.config());
  const near = [...new Set(text.match(/\d+\.\d+\.\d+\.\d+/g) ?? [])].flatMap((address) => {
    const base = number(address);
    return [base, base + 1, base ^ 0x80].map((each) => dotted(each >>> 0));
  });
  const own = simulator.kernel.interfaces.flatMap(({ ip }) => [ip, dotted(number(ip) + 7)]);
  const ports = [...new Set(text.match(/port":"(\d+)"/g) ?? [])].map((each) => each.replace(/\D/g, ""));
  return {
    addresses: [...near, ...own, "198.51.100.7", "8.8.8.8"],
    ports: [...ports, "22", "53", "80", "443", "8866"],
  };
}

function randomFlow({ one }: Random, sample: Sample, { addresses, ports }: ReturnType<typeof poolOf>): FlowTexts {
  const proto = one(["tcp", "tcp", "udp", "icmp"]);
  return {
    from: one(addresses),
    to: proto === "icmp" ? `${one(addresses)}/icmp` : `${one(addresses)}:${one(ports)}/${proto}`,
    in: one(sample.simulator.kernel.interfaces).name,
    mark: one(["0", "0", "0x20", "16"]),
    ...(proto === "icmp" ? {} : { sourcePort: one(["80", "40000", ...ports]) }),
  };
}

const lineOfTrace = ({ verdict }: Trace): string => {
  const { action, path, outgoing = "-", source, destination } = verdict;
  return action === "accepted" ? `accepted ${path} ${outgoing} ${source} ${destination}` : `${action} ${path}`;
};

function lineOfOracle(oracle: Oracle, texts: FlowTexts): string {
  const { from, to, protocol, port, sourcePort, mark, incoming = "" } = flowOf(texts);
  const proto = protocol === 6 ? "tcp" : protocol === 17 ? "udp" : "icmp";
  const packet: Bits = {
    src: from,
    dst: to,
    proto,
    sport: sourcePort ?? 0,
    dport: port ?? 0,
    mark,
    iif: incoming,
    oif: "",
    dnat: false,
  };
  const { action, path } = oracle.decide(packet);
  const end = (address: number, portOf: number): string =>
    proto === "icmp" ? dotted(address) : `${dotted(address)}:${portOf}`;
  const verdicts: Readonly<Record<string, string>> = { ACCEPT: "accepted", REJECT: "rejected", DROP: "dropped" };
  const verdict = verdicts[action] ?? action;
  if (verdict !== "accepted") return `${verdict} ${path}`;
  return `accepted ${path} ${packet.oif || "-"} ${end(packet.src, packet.sport)} ${end(packet.dst, packet.dport)}`;
}

/** Compares both on random flows. Returns the number of certain verdicts, and how often each line occurred. */
function compare(sample: Sample, count: number, random: Random) {
  const oracle = new Oracle(sample.simulator);
  const pool = poolOf(sample);
  const actions = new Map<string, number>();
  let certain = 0;
  for (let each = 0; each < count; each++) {
    const texts = randomFlow(random, sample, pool);
    const trace = traceOf(sample.cnf, flowOf(texts));
    if (!trace.verdict.isCertain) continue;
    certain++;
    const line = lineOfTrace(trace);
    const expected = lineOfOracle(oracle, texts);
    if (line !== expected)
      expect.unreachable(
        `${JSON.stringify(texts)}: ${line}, expected ${expected}\n${JSON.stringify(trace.steps, undefined, 1)}\n${JSON.stringify(sample.simulator.config())}`,
      );
    actions.set(trace.verdict.action, (actions.get(trace.verdict.action) ?? 0) + 1);
  }
  return { certain, actions };
}

const flows = 100_000;
const seed = 28;

describe("the trace of a flow, compared with an interpreter of iptables", () => {
  it("agrees on 100,000 random flows over the configuration of the samples", async () => {
    const all = await samples();
    const random = randomFrom(seed);
    const results = all.map((sample) => compare(sample, Math.ceil(flows / all.length), random));
    const certain = results.reduce((sum, each) => sum + each.certain, 0);
    expect(certain / flows).toBeGreaterThan(0.9);
    const actions = new Set(results.flatMap((result) => [...result.actions.keys()]));
    expect([...actions].toSorted()).toEqual(["accepted", "dropped", "unroutable"]);
  }, 180_000);

  it("agrees on random flows over random rules", async () => {
    const random = randomFrom(seed);
    const [deployment] = (await readManifests(inApp("cnfs"))).filter(
      ({ metadata, kind }) => kind === "Deployment" && metadata.name === "sdewan-cnf1",
    ) as unknown as Deployment[];
    if (!deployment) throw new Error("no CNF");
    const actions = new Set<string>();
    let certain = 0;
    const configurations = 120;
    for (let each = 0; each < configurations; each++) {
      const sample = await sampleOf(podOf(deployment), [], randomRules(random));
      const result = compare(sample, 60, random);
      certain += result.certain;
      for (const action of result.actions.keys()) actions.add(action);
    }
    expect([...actions].toSorted()).toEqual(["accepted", "dropped", "rejected", "unroutable"]);
    expect(certain).toBeGreaterThan(configurations * 30);
  }, 180_000);
});

const nets = [
  "10.244.0.0/24",
  "172.16.30.0/24",
  "172.16.31.0/24",
  "172.16.31.128/25",
  "198.51.100.0/24",
  "8.8.8.8",
  "192.0.2.0/24",
];

/** Returns random objects of a CNF, as paths and bodies. */
function randomRules(random: Random): readonly (readonly [string, UciObject])[] {
  const { below, one, maybe } = random;
  const several = (path: string, make: (name: string) => UciObject): (readonly [string, UciObject])[] =>
    Array.from({ length: below(5) }, (_, index) => [path, make(`x${index}`)] as const);
  const policy = () => one(["ACCEPT", "REJECT", "DROP", ""]);
  const zones = ["za", "zb", "zc"].map((name): readonly [string, UciObject] => [
    "firewall/v1/zones",
    {
      name,
      network: one([["iface1"], ["iface2"], ["iface1", "iface2"]]),
      input: policy(),
      forward: policy(),
      output: policy(),
      masq: one(["", "0", "1"]),
      masq_src: one([null, [`!${one(nets)}`], [one(nets)]]),
      masq_dest: one([null, null, [one(nets)]]),
      subnet: one([null, null, null, [one(nets)]]),
      family: one(["", "", "any", "ipv4", "ipv6"]),
    },
  ]);
  const zone = () => one(["za", "zb", "zc"]);
  const port = () => maybe(one(["53", "80", "443"]));
  return [
    ...zones,
    ...several("firewall/v1/rules", (name) => {
      const proto = one(["tcp", "udp", "tcpudp", "icmp", "all", ""]);
      const hasPorts = proto !== "all" && proto !== "icmp";
      return {
        name,
        src: zone(),
        dest: maybe(zone()),
        proto,
        icmp_type: proto === "icmp" ? one([null, ["echo-reply"], ["ping", "pong"]]) : null,
        src_ip: maybe(one(nets)),
        dest_ip: maybe(one(nets)),
        dest_port: hasPorts ? port() : "",
        src_port: hasPorts && below(4) === 0 ? "80" : "",
        mark: one(["", "", "", "0x20"]),
        ...one([{ target: "ACCEPT" }, { target: "REJECT" }, { target: "DROP" }]),
        family: one(["", "", "ipv4", "ipv6"]),
      };
    }),
    ...(below(3) === 0
      ? [
          [
            "firewall/v1/rules",
            {
              name: "m",
              src: zone(),
              proto: "all",
              dest_ip: maybe(one(nets)),
              target: "MARK",
              set_mark: one(["0x20", "0x40/0xf0"]),
            },
          ] as const,
        ]
      : []),
    ...several("firewall/v1/forwardings", (name) => ({
      name,
      src: zone(),
      dest: zone(),
      family: one(["", "ipv6", "any"]),
    })),
    ...several("firewall/v1/redirects", (name) => {
      const isSource = below(2) === 0;
      return {
        name,
        target: isSource ? "SNAT" : "DNAT",
        src: isSource ? maybe(zone()) : zone(),
        dest: isSource ? zone() : maybe(zone()),
        src_ip: maybe(one(nets)),
        src_dip: isSource ? "172.16.31.77" : maybe("172.16.30.10"),
        dest_ip: isSource ? maybe(one(nets)) : maybe("172.16.31.20"),
        src_dport: isSource ? "" : port(),
        dest_port: port(),
        proto: one(["tcp", "udp", ""]),
      };
    }),
    ...several("networkfirewall/v1/rules", (name) => {
      const proto = one(["tcp", "udp", "tcpudp", "all"]);
      return {
        name,
        src: one(["iface1", "iface2", "eth0", "#default", "#172.16.30.10"]),
        dest: maybe(one(["iface1", "iface2", "eth0"])),
        proto,
        src_ip: maybe(one(nets)),
        dest_port: port(),
        target: one(["ACCEPT", "REJECT", "DROP"]),
      };
    }),
    ...several("nat/v1/nats", (name) => {
      const target = one(["DNAT", "SNAT", "MASQUERADE"]);
      const isDnat = target === "DNAT";
      return {
        name,
        target,
        src: isDnat ? maybe(one(["iface1", "eth0"])) : "",
        dest: isDnat ? "" : one(["iface1", "iface2", "eth0"]),
        proto: "tcp",
        src_ip: maybe(one(nets)),
        src_dip: isDnat ? maybe("172.16.30.10") : target === "SNAT" ? "172.16.31.88" : "",
        src_dport: isDnat ? port() : "",
        dest_ip: isDnat ? "172.16.31.30" : maybe(one(nets)),
        dest_port: port(),
        index: "",
      };
    }),
    ...several("route/v1/routes", (name) => ({
      name,
      dst: one(nets),
      gw: maybe("172.16.31.1"),
      dev: one(["iface1", "iface2"]),
      table: one(["default", "cnf"]),
    })),
    ...several("rule/v1/rules", (name) => ({
      name,
      src: one(nets),
      dst: maybe(one(nets)),
      flag: below(5) === 0,
      prio: maybe(one(["500", "650", "1500", "2500", "4000"])),
      fwmark: one(["", "", "0x20"]),
      table: one(["40", "main"]),
    })),
    ...(below(2) === 0
      ? ([
          [
            "mwan3/v1/policies",
            { name: "p", members: [{ interface: one(["iface1", "iface2"]), metric: "1", weight: "1" }] },
          ],
          ...several("mwan3/v1/rules", (name) => ({
            name: `r${name}`,
            policy: "p",
            src_ip: maybe(one(nets)),
            dest_ip: maybe(one(nets)),
            dest_port: port(),
            proto: one(["tcp", "udp", "all"]),
          })),
        ] as const)
      : []),
  ];
}
