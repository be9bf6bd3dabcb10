import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenWrtClient } from "../client.ts";
import { CnfSimulator, type CnfSimulatorOptions } from "./simulator.ts";

const interfaces = [
  { name: "eth0", ip: "10.233.84.5" },
  { name: "net0", ip: "172.20.5.1" },
  { name: "net2", ip: "10.44.7.2" },
];
const psk = { gateway: "any", authentication_method: "psk", pre_shared_key: "secret" };

let cnf: CnfSimulator;
let client: OpenWrtClient;

async function start(options: CnfSimulatorOptions = {}): Promise<void> {
  cnf = await CnfSimulator.start({ interfaces, ...options });
  client = new OpenWrtClient({ url: cnf.url, password: "" });
}

/** Returns status and message of a refusal. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => expect.fail("was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error) || !("code" in error) || !("body" in error)) throw error;
  return `${error.code} ${JSON.parse(String(error.body)).message}`;
}

function changes(): string[] {
  const looks = /^(ifconfig|ip a show .*|ip route)$/;
  return cnf.commands.map((argv) => argv.join(" ")).filter((command) => !looks.test(command));
}

beforeEach(() => start());
afterEach(async () => {
  await client.close();
  await cnf.stop();
});

describe("CnfSimulator, as specified", () => {
  it("stores objects with names that are not valid for UCI sections", async () => {
    const members = [{ interface: "net0", metric: "1", weight: "1" }];
    await client.mwan3.policies.create({ name: "my-policy.1", members });
    await client.mwan3.rules.create({ name: "my-rule", policy: "my-policy.1" });
    const connections = [{ name: "c-1", conn_type: "tunnel", mode: "start", if_id: "7" }];
    await client.ipsec.proposals.create({ name: "p-1", dh_group: "ecp256" });
    await client.ipsec.remotes.create({ name: "site-1", ...psk, crypto_proposal: ["p-1"], connections });

    expect((await client.mwan3.policies.get("my-policy.1")).members).toMatchObject(members);
    expect(await client.ipsec.remotes.get("site-1")).toMatchObject({ name: "site-1", connections });
    expect(await refusal(client.mwan3.policies.delete("my-policy.1"))).toBe("400 policy my-policy.1 is used");
    await client.mwan3.rules.delete("my-rule");
    await client.mwan3.policies.delete("my-policy.1");
    expect(cnf.uci.sections("mwan3", "member")).toEqual([]);
  });

  it("returns 428 if a prerequisite that may be created later is missing", async () => {
    const forwarding = { name: "f", src: "lan", dest: "wan" };
    expect(await refusal(client.firewall.forwardings.create(forwarding))).toMatch(/^428 .*Zone\[lan\] is not definied/);
    expect(await refusal(client.mwan3.rules.create({ name: "r", policy: "none" }))).toMatch(/^428 /);
    const connections = [{ name: "c", conn_type: "tunnel", mode: "start", crypto_proposal: ["none"] }];
    expect(await refusal(client.ipsec.remotes.create({ name: "s", ...psk, connections }))).toMatch(/^428 /);
    expect(await refusal(client.ipsec.remotes.create({ name: "s", ...psk, crypto_proposal: [] }))).toMatch(/^400 /);
  });

  it("refuses an object without a mandatory field", async () => {
    const required = (field: string): string => `400 Field[${field}] checked failed: required`;
    expect(await refusal(client.nat.nats.create({ name: "n" }))).toBe(required("target"));
    expect(await refusal(client.route.routes.create({ name: "r", dst: "default", dev: "" }))).toBe(required("dev"));
    expect(await refusal(client.networkfirewall.rules.create({ name: "r", src: "net0" }))).toBe(required("target"));
    const ping = { name: "r", src: "net0", proto: "icmp", target: "DROP" };
    expect(await refusal(client.networkfirewall.rules.create(ping))).toBe(required("icmp_type"));
    expect(changes()).toEqual([]);
  });

  it("refuses a second object of a name", async () => {
    await client.firewall.zones.create({ name: "lan" });
    const unchecked = client.collection("firewall/v1//zones"); // the client checks first only for known collections
    expect(await refusal(unchecked.create({ name: "lan" }))).toBe("409 Conflict");
  });

  it("changes nothing when a replacement is refused", async () => {
    const zone = await client.firewall.zones.create({ name: "lan", network: ["net0"] });
    expect(await refusal(client.firewall.zones.put("lan", { network: ["net9"] }))).toMatch(/^400 /);
    expect(await client.firewall.zones.get("lan")).toEqual(zone);

    const connection = (name: string) => [{ name, conn_type: "tunnel", mode: "start" }];
    await client.ipsec.remotes.create({ name: "a", ...psk, connections: connection("c1") });
    const b = await client.ipsec.remotes.create({ name: "b", ...psk, connections: connection("c2") });
    expect(await refusal(client.ipsec.remotes.put("b", { ...psk, connections: connection("c1") }))).toBe(
      "409 Conflict",
    );
    expect(await client.ipsec.remotes.get("b")).toEqual(b);
  });

  it("undoes its commands when one of them fails", async () => {
    await client.networkfirewall.rules.create({
      name: "dns",
      src: "net0",
      proto: "tcp",
      dest_port: "53",
      target: "DROP",
    });
    cnf.failCommand({ match: (argv) => argv.includes("-A") && argv.includes("udp"), exitCode: 4, stderr: "no chain" });
    const put = client.networkfirewall.rules.put("dns", {
      src: "net2",
      proto: "tcpudp",
      dest_port: "53",
      target: "DROP",
    });

    expect(await refusal(put)).toMatch(/^500 iptables .* failed with exit status 4: no chain$/);
    expect(cnf.iptables.all()).toEqual(["-t filter -A INPUT -i net0 -p tcp -m tcp --dport 53 -j DROP"]);
    expect(await client.networkfirewall.rules.get("dns")).toMatchObject({ src: "net0", proto: "tcp" });
  });

  it("runs commands only for differences", async () => {
    await client.application.applications.create({ name: "shop", iplist: "10.0.0.1,10.0.0.2" });
    await client.application.applications.put("shop", { iplist: "10.0.0.2,10.0.0.3" });

    expect(changes().slice(2)).toEqual(["ip rule del from 10.0.0.1 lookup 40", "ip rule add from 10.0.0.3 lookup 40"]);
  });

  it("restores the rules of NAT and network firewall in their order after a start of the firewall", async () => {
    const rule = { src: "net0", proto: "udp", target: "DROP" };
    for (const [name, dest_port] of Object.entries({ a: "1", b: "2", c: "3" })) {
      await client.networkfirewall.rules.create({ ...rule, name, dest_port });
    }
    await client.networkfirewall.rules.put("a", { ...rule, dest_port: "1" });
    const dnat = { name: "n", src_dport: "7", proto: "tcp", dest_ip: "10.1.1.1", target: "DNAT", index: "2" };
    await client.nat.nats.create(dnat);
    await client.nat.nats.create({ ...dnat, name: "m", src_dport: "8", index: "3" });
    await client.nat.nats.delete("n");
    const ports = (table: string, chain: string) =>
      cnf.iptables.rules(table, chain).map((text) => /--dport (\d+)/.exec(text)?.[1]);
    await client.service("firewall").restart();
    await client.service("firewall").start();

    expect(ports("filter", "INPUT")).toEqual(["2", "3", "1"]);
    // The chain has become too short for the position of this rule.
    expect(ports("nat", "PREROUTING")).toEqual(["8"]);
    expect(cnf.iptables.chain("nat", "PREROUTING")).toHaveLength(2);
  });

  it("refuses a position behind the end of the chain", async () => {
    const nat = { name: "n", src_dport: "7", proto: "tcp", dest_ip: "10.1.1.1", target: "DNAT", index: "3" };
    expect(await refusal(client.nat.nats.create(nat))).toMatch(/^500 iptables .*: Index of insertion too big\.$/);
    expect(await client.nat.nats.list()).toEqual([]);
  });

  it("deletes an object whose rule no longer exists in the system", async () => {
    await client.nat.nats.create({ name: "out", dest: "#default", target: "MASQUERADE" });
    await client.service("firewall").stop();
    await client.nat.nats.delete("out");

    expect(await client.nat.nats.list()).toEqual([]);
  });

  it("requires a protocol for ports, and treats tcp and udp together", async () => {
    const nat = { name: "n", dest_ip: "10.1.1.1", dest_port: "80", target: "DNAT" };
    expect(await refusal(client.nat.nats.create(nat))).toBe(
      "400 Field[proto] checked failed: tcp or udp is required for ports",
    );
    await client.nat.nats.create({ ...nat, proto: "tcpudp" });
    expect(cnf.iptables.rules("nat", "PREROUTING")).toHaveLength(2);
    expect(await refusal(client.nat.nats.create({ ...nat, name: "m", proto: "tcp", dest_port: "70000" }))).toMatch(
      /^400 /,
    );
  });

  it("returns certificates as sent, and removes all their files", async () => {
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    const certificates = {
      local_public_cert: encode("public"),
      local_private_cert: encode("private"),
      shared_ca: `${encode("ca one")}___${encode("ca two")}`,
    };
    const method = { gateway: "any", authentication_method: "pubkey" };
    expect(await client.ipsec.remotes.create({ name: "r", ...method, ...certificates })).toMatchObject(certificates);
    expect(cnf.files.get("etc/ipsec.d/cacerts/r_ca_1.pem")).toBe("ca two");
    await client.ipsec.remotes.delete("r");
    expect([...cnf.files.keys()]).toEqual([]);
  });

  it("reports a service that does not restart", async () => {
    cnf.failCommand({ match: "/etc/init.d/mwan3", stderr: "no such file" });
    expect(await refusal(client.service("mwan3").restart())).toBe(
      "500 restart of mwan3 failed with exit status 1: no such file",
    );
  });

  it("finds the interface of a tunnel once it exists", async () => {
    const route = { name: "r", dst: "172.21.0.0/16", dev: "vti_10.44.7.9" };
    expect(await refusal(client.route.routes.create(route))).toMatch(/^428 /);
    cnf.kernel.addInterface({ name: "vti_10.44.7.9", ip: "172.31.9.4" });
    expect(await client.route.routes.create(route)).toMatchObject({ dev_val: "vti_10.44.7.9" });
  });
});

describe("CnfSimulator", () => {
  it("returns all collections like a GET", async () => {
    await client.firewall.zones.create({ name: "lan" });

    const config = cnf.config();
    expect(config).toMatchObject({ "firewall/v1/zones": { zones: [{ name: "lan" }] }, "nat/v1/nats": { nats: [] } });
    expect(Object.keys(config)).toHaveLength(14);
  });

  it("is empty after a restart, at the same address", async () => {
    await client.firewall.zones.create({ name: "lan" });
    const { url } = cnf;
    cnf.restart();

    expect(cnf.url).toBe(url);
    await expect.poll(() => client.firewall.zones.list()).toEqual([]); // the first attempt may use a closed connection
  });

  it("ends a session that was not used for an hour", async () => {
    await cnf.stop();
    await client.close();
    const clock = new FakeClock();
    await start({ clock });
    await client.services();
    await clock.advance(3_599_000);
    await client.services();
    await clock.advance(3_600_000);
    await client.services();

    expect(cnf.logins).toBe(2);
  });

  it("counts requests, and fails them on request", async () => {
    cnf.failNext({ status: 503, match: { method: "GET", path: /zones/ } });

    await expect(client.firewall.zones.list()).rejects.toMatchObject({ code: 503 });
    expect(await client.firewall.zones.list()).toEqual([]);
    expect(cnf.requests.count({ path: "zones" })).toBe(2);
    expect(cnf.requests.entries.map(({ status }) => status)).toEqual([302, 503, 200]);
  });

  it("lists texts with a special meaning to a shell or file of the reference, even of requests that it refuses", async () => {
    const rule = { name: "r", src: "#default", target: "MARK", proto: "tcp", dest_ip: "10.0.0.0/8", mark: "0x10/0xff" };
    await client.networkfirewall.rules.create({ ...rule, set_mark: "16" });
    await client.ipsec.remotes
      .create({ name: "site", ...psk, pre_shared_key: "p'a\"s$s\\; w", connections: [] })
      .catch(() => {});
    expect(cnf.requests.unsafeTexts).toEqual([]);

    await expect(client.networkfirewall.rules.create({ ...rule, name: "s", mark: "1;reboot #" })).rejects.toThrow();
    await expect(client.nat.nats.create({ name: "n", src: "net0 -j ACCEPT", target: "DNAT" })).rejects.toThrow();
    await client.firewall.zones.create({ name: "z", extra_src: "-m mark\nconfig include" });
    const updown = { name: "c", conn_type: "tunnel", mode: "start", local_updown: "$(reboot)" };
    const remote = { name: "t", ...psk, pre_shared_key: "a\n : PSK b", shared_ca: "'", connections: [updown] };
    await client.ipsec.remotes.create(remote);
    expect(cnf.requests.unsafeTexts.map(({ method, field }) => `${method} ${field}`)).toEqual([
      "POST mark",
      "POST src",
      "POST extra_src",
      "POST pre_shared_key",
      "POST shared_ca",
      "POST connections.0.local_updown",
    ]);
  });

  it("accepts interface names such as ./eth0 like the reference", async () => {
    const rule = { name: "r", src: "net0/../net0", target: "DROP", proto: "tcp" };
    expect(await refusal(client.networkfirewall.rules.create(rule))).toBe(
      "428 Field[src] checked failed: Invalid interface",
    );
    await cnf.stop();
    await client.close();
    await start({ quirks: true });
    await client.networkfirewall.rules.create(rule);
    expect(changes()).toEqual(["iptables -A INPUT -i net0/../net0 -p tcp -m tcp -j DROP"]);
    const missing = client.networkfirewall.rules.create({ ...rule, name: "s", src: "net0/../net9" });
    expect(await refusal(missing)).toBe("428 Field[src] checked failed: Invalid interface");
  });

  it("handles hundreds of requests per second", async () => {
    const began = performance.now();
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(Array.from({ length: 20 }, () => client.firewall.zones.list()));
    }
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
