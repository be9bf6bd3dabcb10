import { readFileSync } from "node:fs";
import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenWrtClient } from "./client.ts";
import {
  isObjectNotFound,
  isOpenWrtError,
  NameNotStorableError,
  OpenWrtError,
  OpenWrtNetworkError,
  UnexpectedResponseError,
} from "./errors.ts";
import type { Mwan3Policy } from "./records.ts";
import { CnfSimulator, type CnfSimulatorOptions } from "./testing/index.ts";

const interfaces = [
  { name: "eth0", ip: "10.244.1.17" },
  { name: "net1", ip: "172.16.70.39" },
  { name: "net2", ip: "10.10.20.10" },
];
const balanced: Mwan3Policy = { name: "balanced", members: [{ interface: "net1", metric: "1", weight: "2" }] };
const password = "p&ss=w rd%";

let cnf: CnfSimulator;
let client: OpenWrtClient;
const opened: { close(): Promise<void> }[] = [];

async function start(options: CnfSimulatorOptions = {}): Promise<void> {
  cnf = await CnfSimulator.start({ interfaces, password, ...options });
  client = newClient();
}

function newClient(options: Partial<ConstructorParameters<typeof OpenWrtClient>[0]> = {}): OpenWrtClient {
  const made = new OpenWrtClient({ url: cnf.url, password, ...options });
  opened.push(made);
  return made;
}

function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("was not refused"),
    (error: unknown) => error,
  );
}

afterEach(async () => {
  for (const made of opened.splice(0)) await made.close();
  await cnf.stop();
});

describe("OpenWrtClient", () => {
  beforeEach(() => start());

  it("creates, reads, lists, replaces and deletes objects", async () => {
    const stored = await client.mwan3.policies.create(balanced);

    expect(stored).toMatchObject({ name: "balanced", members: [{ interface: "net1", metric: "1", weight: "2" }] });
    expect(await client.mwan3.policies.get("balanced")).toEqual(stored);
    expect(await client.mwan3.policies.list()).toEqual([stored]);

    await client.mwan3.policies.put("balanced", { members: [{ interface: "net2", metric: "3", weight: "1" }] });
    expect((await client.mwan3.policies.get("balanced")).members).toMatchObject([{ interface: "net2" }]);

    await client.mwan3.policies.delete("balanced");
    expect(await client.mwan3.policies.list()).toEqual([]);
  });

  it("passes on the CNF's reason when it refuses", async () => {
    const error = await caught(client.mwan3.policies.get("none"));

    expect(error).toBeInstanceOf(OpenWrtError);
    expect(error).toMatchObject({ code: 404, body: '{"message":"Cannot find policy[none]"}' });
    expect(String(error)).toBe('OpenWrtError: Error Code: 404, Error Message: {"message":"Cannot find policy[none]"}');
    expect(isOpenWrtError(error, 404)).toBe(true);
    expect(isOpenWrtError(error, 409)).toBe(false);
    expect(isObjectNotFound(error)).toBe(true);
  });

  it("distinguishes an unknown collection from a missing object", async () => {
    const error = await caught(client.collection("qos/v1/classes").get("gold"));

    expect(isOpenWrtError(error, 404)).toBe(true);
    expect(isObjectNotFound(error)).toBe(false);
  });

  it("updates only existing objects", async () => {
    expect(await caught(client.firewall.zones.update("lan", {}))).toMatchObject({ code: 404 });
    await client.firewall.zones.create({ name: "lan", network: ["net1"] });
    expect(await client.firewall.zones.update("lan", { input: "ACCEPT" })).toEqual({ name: "lan", input: "ACCEPT" });
  });

  it("logs in once for all concurrent calls", async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.firewall.zones.list()));

    expect(cnf.logins).toBe(1);
  });

  it("encodes the credentials, and accepts an empty password", async () => {
    await client.services();
    const other = await CnfSimulator.start({ password: "" });
    const withoutPassword = new OpenWrtClient({ url: other.url, password: "" });

    expect(await withoutPassword.services()).toEqual(["mwan3", "firewall", "ipsec"]);
    await withoutPassword.close();
    await other.stop();
  });

  it("reports a refused log-in", async () => {
    const error = await caught(newClient({ password: "wrong" }).services());

    expect(error).toMatchObject({ code: 403, body: "Unauthorized" });
  });

  it("renews an expired token", async () => {
    await client.services();
    cnf.expireSessions();
    await Promise.all([client.services(), client.services()]);

    expect(cnf.logins).toBe(2);
  });

  it("gives up when a new token is refused too", async () => {
    cnf.failNext({ status: 403, count: 2, match: { path: "/services" } });

    expect(await caught(client.services())).toMatchObject({ name: "OpenWrtError", code: 403 });
    expect(await client.services()).toContain("mwan3");
  });

  it("treats a redirect or a page as an error", async () => {
    cnf.failNext({ status: 302, match: { path: "/services" } });
    expect(await caught(client.services())).toBeInstanceOf(UnexpectedResponseError);

    cnf.failNext({ status: 200, body: "<html></html>", contentType: "text/html", match: { path: "/services" } });
    expect(await caught(client.services())).toMatchObject({ name: "UnexpectedResponseError", code: 200 });

    cnf.failNext({ status: 200, body: "hello", match: { path: "/services" } });
    expect(await caught(client.services())).toBeInstanceOf(UnexpectedResponseError);
  });

  it("distinguishes a failed connection from a response", async () => {
    await client.services();
    cnf.dropNext();
    const dropped = await caught(client.services());
    expect(dropped).toBeInstanceOf(OpenWrtNetworkError);
    expect(isOpenWrtError(dropped)).toBe(false);

    await cnf.stop();
    expect(await caught(client.services())).toMatchObject({ name: "OpenWrtNetworkError", isTimeout: false });
  });

  it("stops waiting after 30 seconds, for services after 60", async () => {
    const clock = new FakeClock();
    const patient = newClient({ clock });
    await patient.services();
    cnf.hangNext({ count: 2 });

    const list = caught(patient.firewall.zones.list());
    const restart = caught(patient.service("firewall").restart());
    await expect.poll(() => cnf.requests.count({ path: "/firewall" })).toBe(1);
    await clock.advance(30_000);
    expect(await list).toMatchObject({ name: "OpenWrtNetworkError", isTimeout: true });
    await clock.advance(30_000);
    expect(await restart).toMatchObject({ isTimeout: true });
  });

  it("ends only the call whose signal aborts", async () => {
    const abort = new AbortController();
    cnf.delayNext(20, { match: { path: "/cgi-bin/luci/" } });
    const ended = caught(client.services({ signal: abort.signal }));
    const goesOn = client.services();
    abort.abort(new Error("enough"));

    expect(await ended).toMatchObject({ message: "enough" });
    expect(await goesOn).toContain("ipsec");
    expect(cnf.logins).toBe(1);
  });

  it("performs actions on services", async () => {
    await client.service("firewall").reload();
    await client.service("mwan3").restart();

    expect(cnf.commands).toEqual([
      ["fw3", "reload"],
      ["/etc/init.d/mwan3", "restart"],
    ]);
  });

  it("lists interfaces and switches them down", async () => {
    await client.interfaces.set("net2", "down");

    expect(await client.interfaces.get("net2")).toMatchObject({ status: "DOWN", ip_address: ["10.10.20.10"] });
    expect((await client.interfaces.list()).map(({ name }) => name)).toEqual(["eth0", "net1", "net2"]);
    expect(await caught(client.interfaces.set("net9", "up"))).toMatchObject({ code: 404 });
  });

  it("reads the status", async () => {
    expect((await client.status()).map(({ name }) => name)).toEqual(
      "conntrack interface ipsec route rule wan".split(" "),
    );
    expect(await client.statusOf("ipsec")).toEqual({ InitConnection: "success", details: [] });
  });

  it("logs out, and logs in again when needed", async () => {
    await client.services();
    await client.logOut();
    await client.services();

    expect(cnf.logins).toBe(2);
  });

  it("keeps secrets out of errors", async () => {
    const pre_shared_key = "very/secret";
    const echo = JSON.stringify({ message: `cannot use ${pre_shared_key}`, pre_shared_key }).replaceAll("/", "\\/");
    cnf.failNext({ status: 500, body: echo, match: { path: "/remotes" } });
    const remote = { name: "r1", gateway: "any", authentication_method: "psk", pre_shared_key };

    const error = await caught(client.ipsec.remotes.create(remote));
    expect(error).toMatchObject({ code: 500, body: '{"message":"cannot use ***","pre_shared_key":"***"}' });
  });

  it("does not send names that cannot be part of an address", async () => {
    expect(await caught(client.firewall.zones.create({ name: "a b" }))).toBeInstanceOf(NameNotStorableError);
    expect(await caught(client.firewall.zones.get("../rules"))).toBeInstanceOf(NameNotStorableError);
    expect(cnf.requests.total).toBe(0);
  });
});

describe("OpenWrtClient, of the reference CNF", () => {
  beforeEach(() => start({ quirks: true }));

  it("notices that a name could not be stored", async () => {
    const created = await caught(client.mwan3.policies.create({ ...balanced, name: "my-policy" }));
    expect(created).toMatchObject({ name: "NameNotStorableError", objectName: "my-policy", code: 201 });
    expect(await caught(client.mwan3.policies.put("my-policy", balanced))).toMatchObject({ code: 200 });
  });

  it("does not create a second object of a name", async () => {
    await client.firewall.zones.create({ name: "lan", input: "ACCEPT" });

    expect(await caught(client.firewall.zones.create({ name: "lan", input: "DROP" }))).toMatchObject({ code: 409 });
    expect(await client.firewall.zones.list()).toHaveLength(1);
  });

  it("ignores text printed after the status of IPsec", async () => {
    await client.ipsec.remotes.create({
      ...{ name: "s0", gateway: "any", authentication_method: "psk", pre_shared_key: "secret" },
    });

    expect(await client.statusOf("ipsec")).toEqual({ InitConnection: "success", details: [] });
    expect(await client.status()).toHaveLength(6);
  });

  it("creates and deletes service forwardings", async () => {
    const web = { name: "web", fullname: "web.default.svc.cluster.local", port: "8080", dport: "80" };

    expect(await client.svc.create(web)).toEqual(web);
    expect(await caught(client.svc.create(web))).toMatchObject({ code: 409 });
    await client.svc.delete("web");
    expect(await client.svc.list()).toEqual([]);
  });
});

describe("OpenWrtClient over TLS", () => {
  const [key, cert] = ["key", "cert"].map((name) =>
    readFileSync(new URL(`../testdata/tls/${name}.pem`, import.meta.url), "utf8"),
  );
  const host = "10-233-84-5.default.pod.cluster.local";
  beforeEach(() => start({ tls: { key: key ?? "", cert: cert ?? "" } }));

  it("connects to an address and verifies the host name", async () => {
    const trusting = newClient({ url: `https://${host}:${cnf.port}`, ca: cert, address: "127.0.0.1" });

    expect(await trusting.services()).toContain("mwan3");
  });

  it("refuses a certificate for another name, or from an unknown authority", async () => {
    const otherName = newClient({ url: `https://other.test:${cnf.port}`, ca: cert, address: "127.0.0.1" });
    const wrongName = await caught(otherName.services());
    expect(wrongName).toBeInstanceOf(OpenWrtNetworkError);
    expect(String(wrongName)).toContain("its certificate is for another host (Hostname/IP does not match");

    const withoutBundle = newClient({ url: `https://${host}:${cnf.port}`, address: "127.0.0.1" });
    const untrusted = await caught(withoutBundle.services());
    expect(untrusted).toMatchObject({ name: "OpenWrtNetworkError", isTimeout: false });
    expect(String(untrusted)).toContain("its certificate is not signed by an authority that this system trusts");
    const noBundle = newClient({ url: `https://${host}:${cnf.port}`, ca: "no certificate", address: "127.0.0.1" });
    expect(String(await caught(noBundle.services()))).toContain("not signed by an authority in the given CA bundle");
  });

  it("accepts any certificate on request", async () => {
    expect(await newClient({ insecureSkipTlsVerify: true }).services()).toContain("mwan3");
  });
});

it("survives a certificate whose key is on a curve that crashes Node", async () => {
  const [key = "", cert = ""] = ["key", "cert"].map((name) =>
    readFileSync(new URL(`../testdata/tls/brainpool-${name}.pem`, import.meta.url), "utf8"),
  );
  await start({ tls: { key, cert } });
  const options = { ca: cert, address: "127.0.0.1" };
  expect(await newClient({ url: `https://localhost:${cnf.port}`, ...options }).services()).toContain("mwan3");
  const otherName = newClient({ url: `https://other.test:${cnf.port}`, ...options });
  expect(String(await caught(otherName.services()))).toContain("its certificate is for another host");
});
