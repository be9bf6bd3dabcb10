import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment, Secret } from "@kubewright/client/kinds";
import { OpenWrtClient } from "@kubewright/openwrt";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { Demo } from "../../demo/demo.ts";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { networksAnnotation, orderAnnotation } from "../api/group.ts";
import { IpsecProposal } from "../api/ipsec/ipsec-proposal.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { inspect } from "./inspect.ts";
import { inspectFlags, isInspectCommand } from "./inspect-flags.ts";
import { plan, planFlags } from "./plan-command.ts";
import type { Report } from "./report.ts";

const key = "a-key-that-nobody-may-read";
const other = "another-key-that-nobody-may-read";
const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-inspect-"));
const kubeconfig = join(folder, "kubeconfig");
const labels = { sdewanPurpose: "edge7" };
const metadata = (name: string) => ({ name, namespace: "default", labels });
const connections = [{ name: "c", conn_type: "tunnel", mode: "start" }];
const peer = { authentication_method: "psk", crypto_proposal: ["strong"] };

const cnf = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: metadata("cnf"),
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels, annotations: { [networksAnnotation]: JSON.stringify({ interface: [] }) } },
      spec: { containers: [{ name: "cnf", image: "kubewright/cnf-simulator" }] },
    },
  },
};

let demo: Demo;
beforeAll(async () => {
  demo = await Demo.start({ cnfs: [cnf as never], kubeconfigOut: kubeconfig, operator: { checkIntervalMs: 600_000 } });
  const { client } = demo;
  await client.create(Secret, { metadata: { name: "keys", namespace: "default" }, stringData: { psk: key } });
  await client.create(IpsecProposal, {
    metadata: metadata("strong"),
    spec: { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" },
  });
  await client.create(IpsecHost, {
    metadata: metadata("peer"),
    spec: { ...peer, remote: "10.0.0.1", connections, preSharedKeySecretRef: { name: "keys", key: "psk" } } as never,
  });
  await client.create(FirewallRule, { metadata: metadata("web"), spec: { target: "DROP", src_ip: "10.1.0.0/16" } });
  await inSync("web");
}, 60_000);
afterAll(async () => {
  await demo?.stop();
  rmSync(folder, { recursive: true });
});

const inSync = (name: string) =>
  vi.waitFor(
    async () => {
      const [rule, host] = [
        await demo.client.get(FirewallRule, `default/${name}`),
        await demo.client.get(IpsecHost, "default/peer"),
      ];
      expect([rule.status?.state, host.status?.state]).toEqual(["In Sync", "In Sync"]);
    },
    { timeout: 30_000, interval: 50 },
  );

async function run(command: "diff" | "status" | "export" | "trace", ...args: string[]) {
  let [out, err] = ["", ""];
  const flags = inspectFlags(command, ["--purpose", "edge7", "--kubeconfig", kubeconfig, ...args]);
  const code = await inspect(flags, { out: (text) => (out += text), err: (text) => (err += `${text}\n`) });
  expect(`${out}${err}`).not.toContain(key);
  expect(`${out}${err}`).not.toContain(other);
  return { code, out, err };
}

const simulator = () => {
  const [found] = demo.simulators.running.values();
  if (!found) throw new Error("no CNF runs");
  return found;
};

describe("the commands diff, status and export", () => {
  it("end with 0 if the CNF has the desired objects", async () => {
    const { code, out } = await run("diff", "--output", "json");
    const { pods } = JSON.parse(out) as Report;
    expect(pods[0]?.objects?.filter(({ verdict }) => verdict === "same").map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(["FirewallRule default/web", "IpsecHost default/peer", "IpsecProposal default/strong"]),
    );
    expect(code).toBe(0);
    expect(await run("status")).toMatchObject({ code: 0, out: expect.stringContaining("FirewallRule default/web") });
  });

  it("list composites with their children, and end with 1 while one is not in force", async () => {
    const { client } = demo;
    await client.create(CNFService, {
      metadata: metadata("nowhere"),
      spec: { fullname: "nowhere.default.svc.cluster.local", port: "8080", dport: "80" },
    });
    const line = /CNFService default\/nowhere +(?!In Sync)[A-Za-z]+ +Unknown +\S/;
    await vi.waitFor(async () => expect((await run("status")).out).toMatch(line), { timeout: 20_000, interval: 200 });
    expect((await run("status")).code).toBe(1);
    expect((await run("diff")).out).not.toContain("CNFService");
    await client.delete(CNFService, "default/nowhere");
    await vi.waitFor(async () => expect((await run("status")).code).toBe(0), { timeout: 20_000, interval: 200 });
  });

  it("show which resource has no effect, and why, until this changes", async () => {
    const { client } = demo;
    const spec = { proto: "tcp", dest_port: "8181", target: "DROP" } as const;
    await client.create(FirewallRule, { metadata: metadata("a-wide"), spec });
    await client.create(FirewallRule, { metadata: metadata("b-narrow"), spec: { ...spec, src_ip: "10.0.0.0/8" } });
    const shows = (line: RegExp) =>
      vi.waitFor(async () => expect((await run("status")).out).toMatch(line), { timeout: 20_000, interval: 200 });
    await shows(/FirewallRule default\/b-narrow +In Sync +False +FirewallRule default\/a-wide comes before it/);
    await client.delete(FirewallRule, "default/a-wide");
    await shows(/FirewallRule default\/b-narrow +In Sync +Unknown$/m);
    await client.delete(FirewallRule, "default/b-narrow");
    await vi.waitFor(async () => expect((await run("status")).out).not.toContain("b-narrow"), { timeout: 20_000 });
  });

  it("plan what applying files would do, and write nothing", async () => {
    const file = join(folder, "plan.yaml");
    const rules = ["one", "two"].map((name) => ({
      apiVersion: "batch.sdewan.akraino.org/v1alpha1",
      kind: "FirewallRule",
      metadata: metadata(name),
      spec: { proto: "tcp", dest_port: "8443", target: "DROP" },
    }));
    writeFileSync(file, rules.map((rule) => `${JSON.stringify(rule)}\n---\n`).join(""));
    const before = simulator().requests.total;
    let [out, err] = ["", ""];
    const output = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
    expect(await plan(planFlags(["-f", file, "--kubeconfig", kubeconfig]), output)).toBe(1);
    expect([out, err].join("")).not.toContain(key);
    expect(out).toMatch(/create +FirewallRule default\/one\n/);
    expect(out).toMatch(/^Pod default\/cnf-\S+ of default\/cnf: reload of firewall$/m);
    expect(out).toMatch(/create +firewall\/v1\/rules\/two +FirewallRule default\/two/);
    expect(out).toMatch(/shadowed +FirewallRule default\/two +FirewallRule default\/one comes before it/);
    const { entries, total } = simulator().requests;
    const requests = entries.slice(before - total);
    expect(requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("luci/"))).toEqual([]);
    expect((await demo.client.list(FirewallRule)).map(({ metadata: { name } }) => name)).not.toContain("one");
    out = "";
    expect(await plan(planFlags(["--purpose", "edge7", "--kubeconfig", kubeconfig]), output)).toBe(0);
    expect(out).toMatch(/: no changes\n$/);
    [out, err] = ["", ""];
    const wrong = { ...rules[0], spec: { proto: "icmp", target: "DROP", dest_port: "8443", src_ip: "10.0.0.1" } };
    const unordered = { ...rules[1], metadata: { ...metadata("two"), annotations: { [orderAnnotation]: "last" } } };
    const keyless = {
      apiVersion: rules[0]?.apiVersion,
      kind: "IpsecHost",
      metadata: metadata("keyless"),
      spec: { ...peer, remote: "10.0.0.2", connections },
    };
    writeFileSync(file, [wrong, unordered, keyless].map((each) => `${JSON.stringify(each)}\n---\n`).join(""));
    expect(await plan(planFlags(["-f", file, "--kubeconfig", kubeconfig]), output)).toBe(1);
    expect(out).toMatch(/refused +IpsecHost default\/keyless +.*pre_shared_key/);
    expect((await demo.client.list(IpsecHost)).map(({ metadata: { name } }) => name)).toEqual(["peer"]);
    [out, err] = ["", ""];
    const deletion = ["--delete", "firewallrule/web", "--kubeconfig", kubeconfig];
    expect(await plan(planFlags(deletion), output)).toBe(1);
    expect(out).toMatch(/delete +FirewallRule default\/web\n/);
    expect(out).toMatch(/delete +firewall\/v1\/rules\/web/);
    expect((await demo.client.get(FirewallRule, "default/web")).metadata.deletionTimestamp).toBeUndefined();
    await expect(plan(planFlags(["--delete", "FirewallRule/no", "--kubeconfig", kubeconfig]), output)).rejects.toThrow(
      "--delete: FirewallRule default/no does not exist",
    );
    writeFileSync(file, JSON.stringify(rules[0]));
    await plan(planFlags(["-f", file, "-l", "sdewanPurpose=edge7", "--kubeconfig", kubeconfig]), output);
    expect(err).toContain(
      "not in the files, but still in the cluster: FirewallRule default/web; to plan its deletion, add --delete FirewallRule/default/web",
    );
    writeFileSync(file, "");
    await expect(plan(planFlags(["-f", file, "--kubeconfig", kubeconfig]), output)).rejects.toThrow(
      "the files contain no resources",
    );
  }, 60_000);

  it("show objects that were changed, deleted and added, and export resources for the added ones", async () => {
    const client = new OpenWrtClient({ url: simulator().url, password: "" });
    const rules = client.collection<{ name: string }>("firewall/v1/rules");
    const remotes = client.collection<{ name: string }>("ipsec/v1/remotes");
    await rules.put("web", { name: "web", target: "ACCEPT", src_ip: "10.1.0.0/16" } as never);
    await rules.create({ name: "by-hand", target: "REJECT", src_ip: "10.2.0.0/16" } as never);
    await remotes.put("peer", { ...(await remotes.get("peer")), pre_shared_key: other } as never);
    const own = [{ ...connections[0], name: "own" }];
    await remotes.create({
      name: "own_peer",
      ...peer,
      gateway: "10.0.0.2",
      pre_shared_key: other,
      connections: own,
    } as never);
    await rules.create({ name: "Not_A_Name", target: "DROP" } as never);

    const { code, out } = await run("diff");
    expect(code).toBe(1);
    expect(out).toMatch(
      /different +firewall\/v1\/rules\/web +FirewallRule default\/web +target: "ACCEPT", expected "DROP"/,
    );
    expect(out).toMatch(
      /different +ipsec\/v1\/remotes\/peer +IpsecHost default\/peer +pre_shared_key: "\*\*\*", expected "\*\*\*"/,
    );
    expect(out).toMatch(/unmanaged +firewall\/v1\/rules\/by-hand/);

    const written = await run("export");
    const resources = parseAllDocuments(written.out).map((document) => document.toJS());
    expect(resources).toContainEqual({
      apiVersion: "batch.sdewan.akraino.org/v1alpha1",
      kind: "FirewallRule",
      metadata: { ...metadata("by-hand"), annotations: { [orderAnnotation]: "10" } },
      spec: { target: "REJECT", src_ip: "10.2.0.0/16" },
    });
    expect(resources.find(({ metadata: { name } }) => name === "own-peer")?.spec).toMatchObject({
      remote: "10.0.0.2",
      preSharedKeySecretRef: { name: "own-peer-keys", key: "pre_shared_key" },
    });
    expect(written.code).toBe(1);
    expect(written.err).toContain(
      "not exported: firewall/v1/rules/Not_A_Name: no resource name corresponds to this name",
    );
    expect(written.err).toContain("ipsec/v1/remotes/own_peer: store its keys in the Secret default/own-peer-keys");
    await demo.client.create(
      FirewallRule,
      resources.find(({ metadata: { name } }) => name === "by-hand"),
    );
    await inSync("by-hand");
    expect((await run("export", "--output", "json")).out).not.toContain("by-hand");

    await rules.put("web", { name: "web", target: "DROP", src_ip: "10.1.0.0/16" } as never); // moves it behind the others
    const moved = await run("diff");
    expect(moved.code).toBe(1);
    expect(moved.out).toMatch(
      /moved +firewall\/v1\/rules\/by-hand +FirewallRule default\/by-hand +position 1 of 2, expected 2/,
    );
    expect(moved.out).toMatch(/unmanaged +firewall\/v1\/rules\/Not_A_Name +between managed objects/);
    expect((await run("status")).out).toMatch(/ 1 moved/);
    await client.close();
  });

  it("follow a connection through the CNF, and end with 0 if it is accepted", async () => {
    const { client } = demo;
    const nat = {
      src: "eth0",
      src_dport: "9443",
      proto: "tcp",
      dest_ip: "10.96.33.3",
      dest_port: "443",
      target: "DNAT",
    };
    await client.create(CNFNAT, { metadata: metadata("to-web"), spec: nat as never });
    await vi.waitFor(async () => expect((await client.get(CNFNAT, "default/to-web")).status?.state).toBe("In Sync"), {
      timeout: 30_000,
      interval: 50,
    });
    const flow = ["--from", "192.0.2.7", "--in", "eth0", "--source-port", "40000"];
    const { code, out } = await run("trace", ...flow, "--to", "203.0.113.9:9443/tcp");
    expect(out).toMatch(/destination NAT +CNFNAT default\/to-web: the destination becomes 10\.96\.33\.3:443\n/);
    expect(out).toMatch(/source NAT +the CNF's own rule for eth0/);
    expect(out).toMatch(/=> accepted, forwarded, out of eth0, from [\d.]+:40000 to 10\.96\.33\.3:443\n/);
    expect(code).toBe(0);
    const { traces } = JSON.parse((await run("trace", ...flow, "--to", "203.0.113.9:80/tcp", "--output", "json")).out);
    expect(traces).toMatchObject([{ verdict: { action: "accepted", destination: "203.0.113.9:80", isCertain: true } }]);
    await client.delete(CNFNAT, "default/to-web");

    await client.create(NetworkFirewallRule, {
      metadata: metadata("no-dns"),
      spec: { src: "eth0", dest: "eth0", proto: "udp", dest_port: "53", target: "DROP" },
    });
    await vi.waitFor(
      async () =>
        expect(await run("trace", ...flow, "--to", "203.0.113.9:53/udp")).toMatchObject({
          code: 1,
          out: expect.stringMatching(/DROP by NetworkFirewallRule default\/no-dns\n +=> dropped/),
        }),
      { timeout: 30_000, interval: 100 },
    );
    await client.delete(NetworkFirewallRule, "default/no-dns");
    await vi.waitFor(async () => expect((await run("status")).code).toBe(0), { timeout: 20_000, interval: 200 });
  }, 90_000);

  it("report a purpose, namespace or option that is wrong", async () => {
    const flags = inspectFlags("diff", ["--purpose", "nobodys", "--kubeconfig", kubeconfig]);
    await expect(inspect(flags, { out: () => {}, err: () => {} })).rejects.toThrow(
      "--purpose nobodys: no CNF has this purpose",
    );
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(() => inspectFlags("diff", [])).toThrow("--purpose <purpose>' not specified");
    expect(() => inspectFlags("diff", ["--purpose", "a", "--output", "xml"])).toThrow(
      "must be one of table, json, yaml",
    );
    expect(() => inspectFlags("trace", ["--purpose", "a", "--from", "10.0.0.1"])).toThrow(
      "--to <destination>' not specified",
    );
    expect(() => inspectFlags("diff", ["--purpose", "a", "--from", "10.0.0.1"])).toThrow("unknown option '--from'");
    const flow = ["--purpose", "a", "--from", "10.0.0.1", "--to", "10.0.0.2:http/tcp"];
    expect(() => inspectFlags("trace", flow)).toThrow('--to: "http" is not a port from 1 to 65535');
    write.mockRestore();
    expect([isInspectCommand("diff"), isInspectCommand("--purpose"), isInspectCommand(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("require the namespace if two CNFs have the purpose", async () => {
    const twin = {
      ...cnf,
      metadata: { ...cnf.metadata, namespace: "kube-public" },
      spec: { ...cnf.spec, replicas: 0 },
    };
    await demo.client.create(Deployment, twin as never);
    const message = /More than one deployment exists: .*: choose one with --namespace/;
    await expect(run("status")).rejects.toThrow(message);
    expect((await run("status", "--namespace", "default")).code).toBe(0);
    await demo.client.delete(Deployment, "kube-public/cnf");
  });

  it("end with 3 if a pod does not respond", async () => {
    await simulator().stop();
    const { code, out } = await run("status", "--output", "yaml");
    expect(code).toBe(3);
    expect((parse(out) as Report).pods[0]?.unreachable).toMatch(/\S/);
    expect((await run("export")).code).toBe(3);
    await demo.client.delete(Deployment, "default/cnf");
    await expect(run("status")).rejects.toThrow("--purpose edge7: no CNF has this purpose");
  });
});
