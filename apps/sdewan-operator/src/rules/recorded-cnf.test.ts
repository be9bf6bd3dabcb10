import { readFileSync } from "node:fs";
import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { expect, it } from "vitest";
import { endpointAnnotation, orderAnnotation } from "../api/group.ts";
import { connectTo } from "../cnf/connect.ts";
import { Patrol } from "../cnf/session/patrol.ts";
import { SessionPool } from "../cnf/session/session-pool.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { RuleReconciler } from "./rule-reconciler.ts";
import { WaitingRules } from "./waiting-rules.ts";

/** A CNF on which people also work: the simulator, or at the time of the recording, the reference's REST modules on real programs. */
interface Cnf {
  readonly port: number;
  call(method: string, path: string, body?: object): Promise<string>;
  /** Returns all rules in a chain. */
  chain(table: string, chain: string): readonly string[] | Promise<readonly string[]>;
  /** Returns the commands that have run since the last call. */
  commands(): readonly string[] | Promise<readonly string[]>;
  restartContainer(): void | Promise<void>;
  stop(): Promise<void>;
}

/** State of one CNF after a step: names by collection, ports of the rules by chain, and commands since the last step. */
type CnfState = Readonly<Record<string, string | readonly string[]>>;

interface RecordedStep {
  readonly step: string;
  readonly cnfs: readonly CnfState[];
}

const paths = [
  ...["firewall/v1/zones", "firewall/v1/rules", "firewall/v1/redirects", "mwan3/v1/rules"],
  ...["networkfirewall/v1/rules", "nat/v1/nats"],
];

async function startSimulator(): Promise<Cnf> {
  const simulator = await CnfSimulator.start({
    quirks: true,
    password: "pass",
    interfaces: [
      { name: "eth0", ip: "10.244.0.7" },
      { name: "net1", ip: "10.20.0.2" },
      { name: "net2", ip: "10.21.0.2" },
    ],
  });
  let seen = 0;
  return {
    port: simulator.port,
    async call(method, path, body) {
      const answer = await fetch(`${simulator.url}/cgi-bin/luci/sdewan/${path}`, {
        method,
        ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
      });
      return answer.text();
    },
    chain: (table, chain) => simulator.iptables.chain(table, chain),
    commands() {
      const fresh = simulator.commands.slice(seen).map((argv) => argv.join(" "));
      seen += fresh.length;
      return fresh;
    },
    restartContainer() {
      simulator.restart();
      seen = 0;
    },
    stop: () => simulator.stop(),
  };
}

class Recording {
  readonly steps: RecordedStep[] = [];
  readonly #cnfs: readonly Cnf[];
  readonly #cluster = new FakeCluster();
  readonly #objects = new Map<string, KubeObject>();
  readonly #called = new Set<string>();
  #pool: SessionPool | undefined;
  #reconcilers = new Map<string, RuleReconciler>();
  #patrol: Patrol | undefined;

  constructor(cnfs: readonly Cnf[]) {
    this.#cnfs = cnfs;
    putCnf(this.#cluster, "edge7", Array<string>(cnfs.length).fill("127.0.0.1"));
    for (const index of cnfs.keys()) this.putPod(index, 0);
  }

  putPod(index: number, restartCount: number): void {
    const annotations = { [endpointAnnotation]: `http:${this.#cnfs[index]?.port}` };
    putPod(this.#cluster, "edge7", index, "127.0.0.1", restartCount, annotations);
  }

  /** Starts an operator, which takes over from the former one. */
  async startOperator(): Promise<void> {
    await this.stopOperator();
    const { client: reader } = this.#cluster;
    const connect: ConstructorParameters<typeof SessionPool>[0]["connect"] = (end) => connectTo(end, silentLogger);
    const pool = new SessionPool({ reader, connect, endpoint: { scheme: "https" } });
    const waitingRules = new WaitingRules();
    this.#pool = pool;
    this.#reconcilers = new Map(
      ruleKinds.map((kind) => [kind.kind.kind, new RuleReconciler({ kind, kinds: ruleKinds, pool, waitingRules })]),
    );
    this.#patrol = new Patrol({
      ...{ pool, reader, intervalMs: 30_000, clock: new FakeClock(), logger: silentLogger },
      trigger: ({ kind, key }) => void this.#called.add(`${kind} ${key}`),
    });
  }

  async stopOperator(): Promise<void> {
    await this.#pool?.close();
  }

  /** Creates an object, or changes its spec and its order. Each object is a second older than the next. */
  put(kind: string, name: string, spec: object, order?: string): void {
    const found = ruleKinds.find((each) => each.kind.kind === kind) ?? expect.unreachable();
    const key = `${kind} default/${name}`;
    const before = this.#objects.get(key);
    const stored = before && this.#cluster.get(before);
    const second = String(this.#objects.size).padStart(2, "0");
    const metadata = {
      creationTimestamp: `2026-01-01T00:00:${second}Z`,
      ...stored?.metadata,
      ...{ name, namespace: "default", labels: { sdewanPurpose: "edge7" } },
      generation: (stored?.metadata.generation ?? 0) + 1,
      ...(order === undefined ? {} : { annotations: { [orderAnnotation]: order } }),
    };
    const anyKind: Kind<KubeObject> = found.kind;
    const object = { ...stored, metadata, spec };
    this.#objects.set(key, this.#cluster.put(anyKind, object));
  }

  reconcileAll(): Promise<void> {
    return this.#reconcile(this.#objects.keys());
  }

  /** Checks all CNFs, and reconciles the objects for which the check asks. */
  async check(): Promise<void> {
    this.#called.clear();
    await this.#patrol?.round();
    await this.#reconcile(this.#called);
  }

  /** Records the state of the CNFs after a step. All objects must be in sync. */
  async record(step: string): Promise<void> {
    const states = [...this.#objects.values()].map((object) => {
      const { state, message } = statusOf(this.#cluster.get(object));
      return state === "In Sync" ? "" : `${object.metadata.name}: ${message}`;
    });
    expect(states.filter(Boolean), step).toEqual([]);
    this.steps.push({ step, cnfs: await Promise.all(this.#cnfs.map(stateOf)) });
  }

  async #reconcile(keys: Iterable<string>): Promise<void> {
    const context = { client: this.#cluster.client, log: silentLogger, signal: new AbortController().signal };
    await Promise.all(
      [...keys].map((each) => {
        const [kind = "", key = ""] = each.split(" ");
        return this.#reconcilers.get(kind)?.reconcile(key, context);
      }),
    );
  }
}

function statusOf(object: object = {}): { readonly state?: string; readonly message?: string } {
  return "status" in object && typeof object.status === "object" && object.status !== null ? object.status : {};
}

async function stateOf(cnf: Cnf): Promise<CnfState> {
  const state: Record<string, string | readonly string[]> = {};
  for (const path of paths) {
    const [objects = []] = Object.values<readonly { readonly name: string }[]>(JSON.parse(await cnf.call("GET", path)));
    state[path] = objects.map(({ name }) => name).join(" ");
  }
  const label = (text: string): string => /--dport (\d+)/.exec(text)?.[1] ?? text;
  // Whether the firewall reloads before or after requests for other collections depends on their timing.
  for (const [table, chain] of [
    ["filter", "INPUT"],
    ["nat", "PREROUTING"],
  ] as const)
    state[`${table} ${chain}`] = (await cnf.chain(table, chain))
      .filter((text) => !text.includes("!fw3"))
      .map(label)
      .join(" ");
  const commands = (await cnf.commands()).flatMap((line) => /^iptables (.*)/.exec(line)?.[1] ?? []);
  const [natCommands, others] = [true, false].map((isNat) =>
    commands.filter((each) => each.startsWith("-t") === isNat),
  );
  state.iptables = [...(others ?? []), ...(natCommands ?? [])];
  return state;
}

const rule = (port: number) => ({ src: "wan", proto: "tcp", dest_port: `${port}`, target: "DROP" });
const networkRule = (port: number) => ({ src: "net1", proto: "udp", dest_port: `${port}`, target: "DROP" });
const dnat = (port: number) => ({ src: "wan", src_dport: `${port}`, proto: "tcp", dest_ip: "10.1.2.3" });
const nat = (port: number, index?: string) => ({
  ...{ src_dport: `${port}`, proto: "tcp", dest_ip: "10.96.0.1", dest_port: "443", target: "DNAT" },
  ...(index === undefined ? {} : { index }),
});
const mwan3Rule = (dest_ip: string) => ({
  ...{ policy: "p", src_ip: "", src_port: "", dest_ip, dest_port: "", proto: "all", family: "ipv4" },
  ...{ sticky: "0", timeout: "60" },
});

/** Changes, moves and losses on two pods of one CNF. */
async function play(cnfs: readonly Cnf[]): Promise<readonly RecordedStep[]> {
  const [first, second] = cnfs;
  if (!first || !second) expect.unreachable();
  const run = new Recording(cnfs);
  await run.startOperator();
  run.put("FirewallZone", "wan", { network: ["ovn-net1"], input: "ACCEPT" });
  run.put("Mwan3Policy", "p", { members: [{ network: "ovn-net1", metric: 1, weight: 1 }] });
  for (const [index, name] of ["specific", "middle", "other", "all"].entries()) {
    run.put("FirewallRule", name, rule(21 + index), name === "all" ? "10" : undefined);
    run.put("NetworkFirewallRule", name, networkRule(5_001 + index), name === "all" ? "10" : undefined);
  }
  for (const [index, name] of ["one", "two", "three"].entries()) {
    run.put("CNFNAT", name, nat(7_001 + index));
    run.put("FirewallDNAT", name, dnat(8_001 + index));
    run.put("Mwan3Rule", name, mwan3Rule(`10.${index}.0.0/16`));
  }
  run.put("CNFNAT", "first", nat(7_009, "1"));
  await run.reconcileAll();
  await run.record("created on two pods");

  run.put("FirewallRule", "middle", rule(32));
  run.put("NetworkFirewallRule", "middle", networkRule(5_012));
  run.put("CNFNAT", "two", nat(7_012));
  run.put("FirewallDNAT", "two", dnat(8_012));
  run.put("Mwan3Rule", "two", mwan3Rule("10.12.0.0/16"));
  await run.reconcileAll();
  await run.record("edited in the middle");

  run.put("FirewallRule", "other", rule(23), "-1");
  run.put("NetworkFirewallRule", "other", networkRule(5_003), "-1");
  run.put("CNFNAT", "three", nat(7_003), "-1");
  run.put("FirewallDNAT", "three", dnat(8_003), "-1");
  run.put("Mwan3Rule", "three", mwan3Rule("10.2.0.0/16"), "-1");
  await run.reconcileAll();
  await run.record("moved to the front by the annotation");

  await first.call("POST", "firewall/v1/rules", { ...rule(99), name: "foreign" });
  await first.call("PUT", "firewall/v1/rules/specific", { ...rule(21), name: "specific" });
  await first.call("PUT", "networkfirewall/v1/rules/specific", { ...networkRule(5_001), name: "specific" });
  await run.record("moved by hand on the first pod, behind a rule of somebody else");
  await run.check();
  await run.record("checked");
  await run.check();
  await run.record("checked again");

  run.put("FirewallRule", "new", rule(25), "5");
  await run.reconcileAll();
  await run.record("created in the middle");

  await second.restartContainer();
  run.putPod(1, 1);
  await run.check();
  await run.reconcileAll();
  await run.record("the second pod was replaced");

  await first.restartContainer();
  await run.check(); // may fail, because the CNF closes its connections
  await run.check();
  await run.record("the first pod lost everything unnoticed");
  await run.startOperator();
  await run.reconcileAll();
  await run.record("the operator was restarted");

  await first.call("PUT", "v1/service/firewall", { action: "restart" });
  await run.check();
  await run.record("somebody restarted the firewall of the first pod");
  run.put("NetworkFirewallRule", "late", networkRule(5_010), "3");
  await run.reconcileAll();
  await run.record("a network firewall rule was created afterwards");
  run.put("FirewallRule", "specific", rule(41));
  await run.reconcileAll();
  await run.record("the operator reloaded the firewall");
  await run.stopOperator();
  return run.steps;
}

it("writes the same, in the same order, as on the reference's own code", { timeout: 60_000 }, async () => {
  const recorded = new URL("../../testdata/recorded-cnf.json", import.meta.url);
  const cnfs = await Promise.all([startSimulator(), startSimulator()]);
  try {
    expect(await play(cnfs)).toEqual(JSON.parse(readFileSync(recorded, "utf8")));
  } finally {
    await Promise.all(cnfs.map((cnf) => cnf.stop()));
  }
});
