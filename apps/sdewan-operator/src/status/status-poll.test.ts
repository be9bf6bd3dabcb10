import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger, silentLogger } from "@kubewright/log";
import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { describe, expect, it, vi } from "vitest";
import { CNFStatus } from "../api/cnf-status.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { connectTo } from "../cnf/connect.ts";
import { SessionPool, type SessionPoolOptions } from "../cnf/session/session-pool.ts";
import { firewallRule } from "../kinds/firewall-rules.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { CnfMasks } from "../masking/cnf-masks.ts";
import { secretsOfPod } from "../masking/secrets-of-pod.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { FakeCnf } from "../testing/fake-cnf.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { StatusPoll } from "./status-poll.ts";

const key = "sdewan-system/cnf-status";
const endpoint = { scheme: "https" } as const;
const refused = new OpenWrtError(500, "broken");
const up = { name: "ipsec", status: { InitConnection: "success", details: [] } };
const down = { name: "ipsec", status: { InitConnection: "fail", details: [] } };

function start(options: { connect?: SessionPoolOptions["connect"]; scope?: string } = {}) {
  const cluster = new FakeCluster();
  const clock = new FakeClock();
  const cnfs = new Map<string, FakeCnf>();
  const cnf = (address: string): FakeCnf => {
    const found = cnfs.get(address) ?? new FakeCnf();
    cnfs.set(address, found);
    return found;
  };
  const connect = options.connect ?? (({ address }) => cnf(address));
  const pool = new SessionPool({ reader: cluster.client, connect, endpoint, session: { clock } });
  const warnings: string[] = [];
  const poll = new StatusPoll({
    pool,
    client: cluster.client,
    scope: CnfScope.from(options.scope ?? "same"),
    namespace: "sdewan-system",
    intervalMs: 30_000,
    secretsOf: (pod) => secretsOfPod(cluster.client, ruleKinds, endpoint, pod, new RuleSecrets()),
    masks: new CnfMasks({ kinds: ruleKinds, secrets: new RuleSecrets(), clock }),
    clock,
    logger: createLogger({ level: "warn", destination: { write: (line) => void warnings.push(line) } }),
  });
  const status = () => cluster.peek(CNFStatus, key)?.status;
  const statuses = () => status()?.information?.map((each) => each.status);
  const stop = new AbortController();
  const run = (): Promise<void> => poll.run(stop.signal);
  return { cluster, clock, cnf, pool, poll, status, statuses, stop, run, warnings };
}

describe("the CNFStatus", () => {
  it("logs no key of a resource that a CNF repeats in an error", async () => {
    const { cluster, clock, cnf, stop, run, warnings } = start();
    putCnf(cluster, "edge7", ["10.0.0.1"]);
    cluster.put(IpsecHost, {
      metadata: { name: "h", namespace: "cnfs", labels: { sdewanPurpose: "edge7" } },
      spec: {
        remote: "10.0.0.9",
        authentication_method: "psk",
        crypto_proposal: ["p"],
        connections: [],
        pre_shared_key: "between-us",
      },
    });
    cnf("10.0.0.1").modules = [down];
    cnf("10.0.0.1").fail = (request) =>
      request.startsWith("restart") ? new OpenWrtError(500, "psk between-us") : undefined;
    const running = run();
    await clock.advance(120_000);
    expect(warnings.join("")).toContain("psk ***");
    expect(warnings.join("")).not.toContain("between-us");
    stop.abort();
    await running;
  });

  it("names the collections of a pod with objects that someone moved", async () => {
    const { cluster, clock, cnf, pool, status, stop, run } = start();
    putCnf(cluster, "edge7", ["10.0.0.1"]);
    const session = await pool.sessionOf(cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable());
    const submitted = ["a", "b"].map((name, order) =>
      session.submit({
        origin: { kind: "FirewallRule", key: `default/${name}` },
        kind: firewallRule,
        name,
        desired: { name },
        same: () => true,
        inForce: true,
        order: { order, created: undefined, name },
      }),
    );
    await clock.advance(2_000);
    await Promise.all(submitted);
    const running = run();
    await clock.advance(0);
    expect(status()?.information?.[0]).not.toHaveProperty("outOfOrder");
    cnf("10.0.0.1").collections.set(firewallRule.path, new Map(["b", "a"].map((name) => [name, { name }])));
    await session.missing();
    await clock.advance(30_000);
    expect(status()?.information?.[0]).toMatchObject({ name: "edge7-0", outOfOrder: ["firewall/v1/rules"] });
    stop.abort();
    await running;
  });

  it("is created immediately, with the identity, node and state of every CNF pod", async () => {
    const { cluster, clock, cnf, status, stop, run } = start();
    putCnf(cluster, "edge7", ["10.0.0.2", "10.0.0.1"]);
    putCnf(cluster, "hub", ["10.0.0.3"], {}, "a-hub");
    cluster.put(Pod, { metadata: { name: "other", namespace: "cnfs" }, status: { podIP: "10.0.0.9" } });
    const pod = cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
    cluster.put(Pod, { ...pod, spec: { nodeName: "node1", containers: [] } });
    cnf("10.0.0.2").modules = [up, { name: "rule", status: [] }];
    const running = run();
    await clock.advance(0);
    expect(status()).toEqual({
      appliedGeneration: 1,
      appliedTime: expect.stringMatching(/Z$/),
      information: [
        { name: "hub-0", namespace: "a-hub", node: "", purpose: "hub", ip: "10.0.0.3", status: "[]" },
        {
          name: "edge7-0",
          namespace: "cnfs",
          node: "node1",
          purpose: "edge7",
          ip: "10.0.0.2",
          status: '[{"name":"ipsec","status":{"InitConnection":"success","details":[]}},{"name":"rule","status":[]}]',
        },
        { name: "edge7-1", namespace: "cnfs", node: "", purpose: "edge7", ip: "10.0.0.1", status: "[]" },
      ],
      observedGeneration: 1,
      conditions: [
        expect.objectContaining({ type: "Ready", status: "True", observedGeneration: 1 }),
        expect.objectContaining({ type: "Reachable", status: "True" }),
      ],
    });
    stop.abort();
    await running;
  });

  it("is updated in place after each interval, never twice at a time", async () => {
    const { cluster, clock, cnf, status, statuses, stop, run } = start();
    putCnf(cluster, "edge7", ["10.0.0.1"]);
    const running = run();
    await clock.advance(0);
    const first = cluster.peek(CNFStatus, key);
    cnf("10.0.0.1").modules = [up];
    await clock.advance(29_999);
    expect(statuses()).toEqual(["[]"]);
    await clock.advance(1);
    expect(statuses()).toEqual([JSON.stringify([up])]);
    expect(cluster.peek(CNFStatus, key)?.metadata.uid).toBe(first?.metadata.uid);
    expect(status()?.appliedTime).not.toBe(first?.status?.appliedTime);
    cluster.remove(CNFStatus, key);
    await clock.advance(30_000);
    expect(statuses()).toEqual([JSON.stringify([up])]);
    expect(cnf("10.0.0.1").requests).toEqual(Array(3).fill("GET status"));
    stop.abort();
    await clock.advance(30_000);
    await running;
    expect(cnf("10.0.0.1").requests).toHaveLength(3);
  });

  it("is written once, after all pods, each of which has ten seconds", async () => {
    const { cluster, clock, cnf, statuses, stop, run } = start();
    putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2"]);
    cnf("10.0.0.1").status = () => new Promise(() => {});
    cnf("10.0.0.1").statusOf = () => new Promise(() => {});
    cnf("10.0.0.2").modules = [up];
    const running = run();
    await clock.advance(9_999);
    expect(cluster.peek(CNFStatus, key)).toBeUndefined();
    await clock.advance(1);
    expect(statuses()).toEqual(["Not Available", JSON.stringify([up])]);
    const version = cluster.peek(CNFStatus, key)?.metadata.resourceVersion;
    await clock.advance(19_999);
    expect(cluster.peek(CNFStatus, key)?.metadata.resourceVersion).toBe(version);
    stop.abort();
    await running;
  });

  it("queries 32 pods at a time", async () => {
    const { cluster, clock, cnf, statuses, stop, run } = start();
    const addresses = Array.from({ length: 40 }, (_, index) => `10.0.1.${index}`);
    putCnf(cluster, "edge7", addresses);
    let [requests, most] = [0, 0];
    for (const address of addresses)
      cnf(address).status = async () => {
        most = Math.max(most, ++requests);
        await clock.sleep(1_000);
        requests--;
        return [];
      };
    const running = run();
    await clock.advance(2_000);
    expect([most, statuses()?.length]).toEqual([32, 40]);
    stop.abort();
    await running;
  });

  it("contains Not Available for a CNF that does not respond, has no address, or is out of scope", async () => {
    const { cluster, cnf, poll, status } = start({ scope: "cnfs" });
    putCnf(cluster, "edge7", ["10.0.0.1", undefined]);
    putCnf(cluster, "far", ["10.0.0.5"], {}, "elsewhere");
    cnf("10.0.0.1").fail = () => new OpenWrtNetworkError("GET", "refused");
    await poll.round(new AbortController().signal);
    expect(status()?.information?.map(({ name, ip, status: text }) => [name, ip, text])).toEqual([
      ["edge7-0", "10.0.0.1", "Not Available"],
      ["edge7-1", "", "Not Available"],
      ["far-0", "10.0.0.5", "Not Available"],
    ]);
    expect(cnf("10.0.0.1").requests).toEqual(["GET status"]);
    expect(cnf("10.0.0.5").requests).toEqual([]);
    expect(status()?.conditions).toMatchObject([
      { type: "Ready", status: "True" },
      {
        type: "Reachable",
        status: "False",
        reason: "CnfUnreachable",
        message: "3 of 3 CNF pods do not respond: cnfs/edge7-0, cnfs/edge7-1, elsewhere/far-0",
      },
    ]);
  });

  it("does not wait for a thousand unresponsive pods, and queries them last in the next check", async () => {
    const { cluster, clock, cnf, poll, status } = start();
    const addresses = Array.from({ length: 1_000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    putCnf(cluster, "hostile", addresses, {}, "a-first");
    putCnf(cluster, "good", ["10.0.0.1"]);
    for (const address of addresses) {
      cnf(address).status = () => new Promise(() => {});
      cnf(address).statusOf = () => new Promise(() => {});
    }
    cnf("10.0.0.1").modules = [up];
    cnf(addresses[500] ?? "").status = async () => [up];
    const answering = () => status()?.information?.filter((each) => each.status === JSON.stringify([up])).length;
    const counts: unknown[] = [];
    for (let each = 0; each < 12; each++) {
      const round = poll.round(new AbortController().signal);
      await clock.advance(40_000);
      await round;
      expect(status()?.information).toHaveLength(1_001);
      counts.push(answering());
    }
    // The good pod always responds. The other responsive pod, among many unresponsive ones, responds as soon as it has been queried once.
    expect(counts).toEqual(counts.toSorted());
    expect([counts[0], counts.at(-1)]).toEqual([1, 2]);
  });

  it("ignores modules with too long a name, or too many of them", async () => {
    const { cluster, cnf, poll, statuses } = start();
    putCnf(cluster, "edge7", ["10.0.0.1"]);
    const many = Array.from({ length: 1_000 }, (_, index) => ({ name: `m${index}` }));
    cnf("10.0.0.1").modules = [{ name: "x".repeat(65), status: 1 }, up, ...many];
    await poll.round(new AbortController().signal);
    expect(JSON.parse(statuses()?.[0] ?? "")).toEqual([up, ...many.slice(0, 63)]);
  });

  it("omits terminating pods", async () => {
    const { cluster, poll, statuses } = start();
    putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2"]);
    const pod = cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
    cluster.put(Pod, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
    await poll.round(new AbortController().signal);
    expect(statuses()).toHaveLength(1);
  });

  it("queries modules one by one if the CNF cannot report all of them together, and names those without a response", async () => {
    const { cluster, cnf, poll, statuses } = start();
    putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2"]);
    cnf("10.0.0.1").modules = [up];
    cnf("10.0.0.1").fail = (request) => (/status$|conntrack/.test(request) ? refused : undefined);
    cnf("10.0.0.2").fail = () => refused;
    await poll.round(new AbortController().signal);
    expect(JSON.parse(statuses()?.[0] ?? "")).toEqual([
      { name: "conntrack", status: "Not Available" },
      { name: "interface" },
      up,
      { name: "route" },
      { name: "rule" },
      { name: "wan" },
    ]);
    expect(statuses()?.[1]).toBe("Not Available");
  });

  it("has conditions even without CNFs, and does not rewrite unchanged ones", async () => {
    const { cluster, clock, cnf, poll, status } = start();
    const round = () => poll.round(new AbortController().signal);
    await round();
    expect(status()?.conditions).toMatchObject([
      { type: "Ready", status: "True" },
      { type: "Reachable", status: "Unknown", reason: "NoCnf" },
    ]);
    putCnf(cluster, "edge7", ["10.0.0.1"]);
    await round();
    const before = status()?.conditions;
    expect(before?.[1]).toMatchObject({ type: "Reachable", status: "True" });
    await clock.advance(60_000);
    await round();
    expect(status()?.conditions).toEqual(before);
    cnf("10.0.0.1").fail = () => new OpenWrtNetworkError("GET", "refused");
    await round();
    expect(status()?.conditions?.[1]).toMatchObject({ type: "Reachable", status: "False" });
  });

  it("queries modules one by one if all together take too long, within ten seconds per CNF", async () => {
    const { cluster, clock, cnf, poll, statuses } = start();
    putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2"]);
    const hang = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const [slow, dead] = [cnf("10.0.0.1"), cnf("10.0.0.2")];
    const requests: string[] = [];
    slow.status = hang;
    slow.statusOf = async (module, signal) => {
      requests.push(module);
      return module === "conntrack" || module === "route" ? hang(signal) : up.status;
    };
    dead.status = hang;
    dead.statusOf = async (_module, signal) => hang(signal);
    const round = poll.round(new AbortController().signal);
    await clock.advance(4_999);
    expect(requests).toEqual([]);
    await clock.advance(1);
    expect(requests[0]).toBe("interface");
    await clock.advance(4_999);
    expect(statuses()).toBeUndefined();
    await clock.advance(1);
    await round;
    expect(
      JSON.parse(statuses()?.[0] ?? "").map(({ name, status }: { name: string; status: unknown }) => [
        name,
        status === "Not Available",
      ]),
    ).toEqual([
      ["conntrack", true],
      ["interface", false],
      ["ipsec", false],
      ["route", true],
      ["rule", false],
      ["wan", false],
    ]);
    expect(requests.at(-1)).toBe("conntrack");
    expect(statuses()?.[1]).toBe("Not Available");
  });

  it("is limited to 900 KiB, however much CNFs report", async () => {
    const { cluster, cnf, poll, status, statuses } = start();
    const addresses = Array.from({ length: 30 }, (_, index) => `10.0.1.${index}`);
    putCnf(cluster, "edge7", addresses);
    for (const address of addresses) cnf(address).modules = [{ name: "conntrack", status: "x".repeat(1_000_000) }, up];
    await poll.round(new AbortController().signal);
    expect(Buffer.byteLength(JSON.stringify(status()))).toBeLessThan(900 * 1024);
    for (const each of statuses() ?? [])
      expect(JSON.parse(each ?? "")).toEqual([{ name: "conntrack", status: "omitted, 1000002 bytes" }, up]);
    expect(statuses()).toHaveLength(30);
  });

  it("contains no keys, though the reference's CNF prints them and others may", async () => {
    const secret = "only-between-the-two-of-us";
    await using simulator = await CnfSimulator.start({ quirks: true, password: "pass" });
    simulator.mwan3Status = { note: `the key is ${secret}, the password pass` };
    const { cluster, poll, statuses } = start({ connect: (each) => connectTo(each, silentLogger) });
    putCnf(cluster, "edge7", ["127.0.0.1"], { "kubewright.dev/cnf-endpoint": `http:${simulator.port}` });
    const metadata = { name: "host", namespace: "cnfs", labels: { sdewanPurpose: "edge7" } };
    const connections = [{ name: "c", conn_type: "tunnel" as const, mode: "start" as const }];
    const spec = { remote: "10.0.0.9", authentication_method: "psk" as const, crypto_proposal: ["p"], connections };
    cluster.put(IpsecHost, { metadata, spec: { ...spec, pre_shared_key: secret } });
    const remote = `config remote 'host'\n\toption gateway '10.0.0.9'\n\toption pre_shared_key '${secret}'\n`;
    await using leaking = await CnfSimulator.start({
      quirks: true,
      password: "pass",
      files: { "etc/config/ipsec": remote },
    });
    const body = await (await fetch(`${leaking.url}/cgi-bin/luci/sdewan/v1/status`)).text();
    expect(body).toContain(secret); // make sure the keys are in the response
    putCnf(cluster, "leaking", ["127.0.0.1"], { "kubewright.dev/cnf-endpoint": `http:${leaking.port}` });
    await poll.round(new AbortController().signal);
    expect(statuses()?.[0]).toContain('"note":"the key is ***, the ***word ***"');
    expect(statuses()?.[1]).toContain('"name":"ipsec"');
    for (const each of statuses() ?? []) expect(each).not.toContain(secret);
  });

  it("logs once a hint at the flag if its namespace does not exist", async () => {
    const { cluster, clock, stop, run, warnings } = start();
    putCnf(cluster, "edge7", ["10.0.0.1"]);
    vi.spyOn(cluster, "put").mockImplementation(() => {
      throw new Error('namespaces "sdewan-system" not found');
    });
    const running = run();
    await clock.advance(90_000);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/not found.*--status-namespace/);
    stop.abort();
    await running;
  });
});

describe("tunnels that do not come up", () => {
  it("get IPsec restarted by the pod's session, in rounds 1, 2, 4 and so on of the failure", async () => {
    const { cluster, clock, cnf, stop, run } = start();
    putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2"]);
    cnf("10.0.0.1").modules = [down];
    cnf("10.0.0.2").modules = [up];
    const running = run();
    const rounds: number[] = [];
    const restarts = (): number => cnf("10.0.0.1").requests.filter((request) => request === "restart ipsec").length;
    for (let round = 1; round <= 9; round++) {
      const before = restarts();
      await clock.advance(round === 1 ? 10_000 : 30_000);
      if (restarts() > before) rounds.push(round);
    }
    expect(rounds).toEqual([1, 2, 4, 8]);
    expect(restarts()).toBe(4);
    expect(cnf("10.0.0.2").requests).not.toContain("restart ipsec");
    cnf("10.0.0.1").modules = [up];
    await clock.advance(30_000);
    cnf("10.0.0.1").modules = [down];
    await clock.advance(30_000);
    expect(restarts()).toBe(5);
    stop.abort();
    await clock.advance(0);
    await running;
  });

  it("do not delay the rest of the status, and do not cause two restarts at a time", async () => {
    const { cluster, clock, cnf, statuses, stop, run } = start();
    putPod(cluster, "edge7", 0, "10.0.0.1");
    let requests = 0;
    const responses: (() => void)[] = [];
    cnf("10.0.0.1").modules = [down];
    cnf("10.0.0.1").service = () => ({
      restart: () =>
        new Promise<void>((resolve) => {
          requests++;
          responses.push(resolve);
        }),
      reload: async () => {},
    });
    const running = run();
    await clock.advance(0);
    expect(statuses()).toHaveLength(1);
    await clock.advance(30_000);
    expect(requests).toBe(1);
    stop.abort();
    for (const response of responses) response();
    await running;
  });
});
