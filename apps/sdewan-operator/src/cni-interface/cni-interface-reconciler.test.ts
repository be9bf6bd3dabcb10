import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { describe, expect, it, vi } from "vitest";
import { CniInterface } from "../api/cni-interface.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import type { CnfInterface } from "../cnf/cnf-api.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { connectTo, shownInterfaces } from "../cnf/connect.ts";
import { SessionPool } from "../cnf/session/session-pool.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { CnfMasks } from "../masking/cnf-masks.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { FakeCnf } from "../testing/fake-cnf.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { recordedEvents } from "../testing/recorded-events.ts";
import { CniInterfaceReconciler } from "./cni-interface-reconciler.ts";

const net2: CnfInterface = {
  name: "net2",
  status: "UP",
  mac_address: "0A:00:00:00:00:02",
  ip_address: ["10.44.7.2"],
  received_packets: "77",
  send_packets: "66",
};

function start(interfaces: CnfInterface[], cnfNamespaces = "same") {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const cnf = new FakeCnf();
  const requests: string[] = [];
  cnf.interfaces = async () => interfaces;
  cnf.setInterface = async (...[name, action]: string[]) => {
    requests.push(`${name} ${action}`);
    interfaces.splice(
      0,
      interfaces.length,
      ...interfaces.map((each) => ({ ...each, status: action?.toUpperCase() ?? "" })),
    );
  };
  const clock = new FakeClock();
  const { reporter, reasons } = recordedEvents();
  const pool = new SessionPool({ reader: cluster.client, connect: () => cnf, endpoint: { scheme: "https" } });
  const reconciler = new CniInterfaceReconciler({
    pool,
    checkIntervalMs: 30_000,
    masks: new CnfMasks({ kinds: ruleKinds, secrets: new RuleSecrets(), clock }),
    reporter,
    clock,
    scope: CnfScope.from(cnfNamespaces),
  });
  const stored = (name: string) => cluster.peek(CniInterface, `cnfs/${name}`);
  /** Returns status and reason of the conditions Ready and Reachable. */
  const conditions = () => stored("a")?.status?.conditions?.map(({ status, reason }) => `${status} ${reason}`);
  const reconcileOnce = (name: string) =>
    reconciler.reconcile(`cnfs/${name}`, {
      client: cluster.client,
      log: silentLogger,
      signal: new AbortController().signal,
    });
  const reconcile = async (name: string): Promise<void> => {
    expect(await reconcileOnce(name)).toEqual({ requeueAfterMs: 30_000 });
  };
  const inspect = async (spec: NonNullable<CniInterface["spec"]>, name = "a", created = "2026-01-01T00:00:00Z") => {
    const before = cluster.peek(CniInterface, `cnfs/${name}`);
    const metadata = { name, namespace: "cnfs", creationTimestamp: created };
    cluster.put(CniInterface, { ...before, metadata, spec });
    await reconcile(name);
    return fieldsOf(stored(name)?.status);
  };
  return { cluster, cnf, clock, inspect, requests, interfaces, conditions, reasons, reconcile, reconcileOnce };
}

const cnfSelector = { matchLabels: { sdewanPurpose: "edge7" } };

describe("CniInterfaceReconciler", () => {
  it("shows the interface of the selected pod", async () => {
    const { inspect } = start([net2]);
    const { name: _name, ...shown } = net2;
    expect(await inspect({ name: "net2", cnfSelector })).toEqual(shown);
  });

  it("reports Not Available, and nothing else, once the interface or the pod does not exist", async () => {
    const { inspect, interfaces } = start([net2]);
    await inspect({ name: "net2", cnfSelector });
    interfaces.length = 0;
    expect(await inspect({ name: "net2", cnfSelector })).toEqual({ status: "Not Available" });
    expect(await inspect({ name: "net2", cnfSelector: {} })).toEqual({ status: "Not Available" });
    expect(await inspect({ name: "net2" })).toEqual({ status: "Not Available" });
  });

  it("stops checking pods after the time limit, and reports it", async () => {
    const { cluster, cnf, clock, inspect } = start([]);
    const addresses = Array.from({ length: 100 }, (_, index) => `10.0.1.${index}`);
    putCnf(cluster, "edge7", addresses);
    let requests = 0;
    cnf.interfaces = async () => {
      requests++;
      await clock.sleep(7_000);
      return [];
    };
    const looked = inspect({ name: "net2", cnfSelector });
    await clock.advance(60_000);
    expect(await looked).toEqual({
      status: "Not Available",
      message: "the selected CNF pods took more than 30 s to list their interfaces",
    });
    expect(requests).toBe(5);
  });

  it("reports its state in conditions and events, and writes nothing if nothing changed", async () => {
    const { inspect, cnf, conditions, reasons, cluster, reconcile } = start([net2]);
    await inspect({ name: "net2", cnfSelector });
    expect(conditions()).toEqual(["True Applied", "True Answers"]);
    await inspect({ name: "net2", status: "down", cnfSelector });
    expect(reasons()).toEqual(["CniInterface a: Applied"]);
    cnf.interfaces = () => Promise.reject(new OpenWrtNetworkError("GET", "connect ECONNREFUSED"));
    for (let times = 0; times < 3; times++) await inspect({ name: "net2", status: "down", cnfSelector });
    expect(conditions()).toEqual(["False CnfUnreachable", "False CnfUnreachable"]);
    expect(reasons()).toEqual(["CniInterface a: CnfUnreachable"]);
    await inspect({ name: "net2" });
    expect(conditions()).toEqual(["False Waiting", "Unknown NoCnf"]);
    const { resourceVersion } = cluster.peek(CniInterface, "cnfs/a")?.metadata ?? {};
    await reconcile("a");
    expect(cluster.peek(CniInterface, "cnfs/a")?.metadata.resourceVersion).toBe(resourceVersion);
  });

  it("is not switched while it is paused", async () => {
    const { inspect, requests, conditions, cluster, reconcile } = start([net2]);
    await inspect({ name: "net2", cnfSelector });
    const object = cluster.peek(CniInterface, "cnfs/a") ?? expect.unreachable();
    const annotations = { "kubewright.dev/paused": "true" };
    cluster.restore({
      ...object,
      metadata: { ...object.metadata, annotations },
      spec: { name: "net2", status: "down", cnfSelector },
    });
    await reconcile("a");
    expect(requests).toEqual([]);
    expect(conditions()).toEqual(["False Paused", "True Answers"]);
  });

  it("reports why a CNF does not list its interfaces, until it does", async () => {
    const { inspect, cnf } = start([net2]);
    const { interfaces } = cnf;
    cnf.interfaces = () => Promise.reject(new OpenWrtError(500, "out of\nmemory"));
    expect(await inspect({ name: "net2", cnfSelector })).toEqual({
      status: "Not Available",
      message: "Error Code: 500, Error Message: out of memory",
    });
    cnf.interfaces = interfaces;
    expect(await inspect({ name: "net2", cnfSelector })).toEqual({ ...net2, name: undefined });
  });

  it("reports why an interface is not switched, and still shows it", async () => {
    const { inspect, cnf } = start([net2]);
    cnf.setInterface = () => Promise.reject(new OpenWrtError(404, "no such page"));
    expect(await inspect({ name: "net2", status: "down", cnfSelector })).toMatchObject({
      status: "UP",
      message: "net2 was not switched down: Error Code: 404, Error Message: no such page",
    });
  });

  it("waits after a failure before it switches again, but not for an object that was deleted and created again", async () => {
    const { inspect, cnf, clock, cluster, reconcileOnce } = start([net2]);
    let tries = 0;
    cnf.setInterface = () => {
      tries++;
      return Promise.reject(new OpenWrtError(404, "no such page"));
    };
    const down = { name: "net2", status: "down", cnfSelector };
    await inspect(down);
    await inspect(down);
    expect(tries).toBe(1);
    cluster.remove(CniInterface, "cnfs/a");
    expect(await reconcileOnce("a")).toBeUndefined();
    await inspect(down);
    expect(tries).toBe(2);
    await clock.advance(1_000);
    await inspect(down);
    expect(tries).toBe(3);
  });

  it("hides keys of resources that the CNF repeats", async () => {
    const { cluster, inspect, cnf } = start([net2]);
    const metadata = { name: "h", namespace: "cnfs", labels: { sdewanPurpose: "edge7" } };
    const spec = { remote: "10.0.0.9", authentication_method: "psk", crypto_proposal: ["p"], connections: [] } as const;
    cluster.put(IpsecHost, {
      metadata,
      spec: { ...spec, crypto_proposal: ["p"], connections: [], pre_shared_key: "between-us" },
    });
    const status = (text: string) => () => Promise.reject(new OpenWrtError(500, text));
    cnf.setInterface = status("psk between-us");
    expect((await inspect({ name: "net2", status: "down", cnfSelector }))?.message).toMatch(/: psk \*\*\*$/);
    cnf.interfaces = status("psk between-us");
    expect((await inspect({ name: "net2", cnfSelector }))?.message).toMatch(/: psk \*\*\*$/);
  });

  it("shows the interface of one pod although another does not respond", async () => {
    const { cluster, inspect, cnf } = start([net2]);
    putPod(cluster, "edge7", 1, "10.0.0.2");
    const { interfaces } = cnf;
    cnf.interfaces = vi.fn(interfaces).mockRejectedValueOnce(new OpenWrtError(500, "no"));
    expect(await inspect({ name: "net2", cnfSelector })).toEqual({ ...net2, name: undefined });
  });

  it("reads the interfaces from the status of a CNF that has no collection of them, such as the reference's", async () => {
    await using simulator = await CnfSimulator.start({ interfaces: [{ name: "net2", ip: "10.44.7.2" }] });
    simulator.failNext({ status: 404, body: "<html>No page</html>", match: { path: /v1\/interfaces/ }, count: 2 });
    const api = connectTo({ url: simulator.url, address: "127.0.0.1", password: "", ca: undefined }, silentLogger);
    try {
      expect(await api.interfaces()).toMatchObject([{ name: "net2", status: "UP", ip_address: ["10.44.7.2"] }]);
      simulator.clearFaults();
      simulator.failNext({ status: 500, match: { path: /v1\/interfaces/ } });
      await expect(api.interfaces()).rejects.toMatchObject({ code: 500 });
    } finally {
      await api.close();
    }
  });

  it("switches the interface to the desired state once, in any letter case", async () => {
    const { inspect, requests } = start([net2]);
    expect(await inspect({ name: "net2", status: "Down", cnfSelector })).toMatchObject({ status: "DOWN" });
    await inspect({ name: "net2", status: "Down", cnfSelector });
    expect(requests).toEqual(["net2 down"]);
    expect(await inspect({ name: "net2", status: "up", cnfSelector })).toMatchObject({ status: "UP" });
  });

  it("sends no request for an interface that exists nowhere, and reports it", async () => {
    const { inspect, requests, conditions } = start([net2]);
    for (let times = 0; times < 3; times++)
      expect(await inspect({ name: "net9", status: "up", cnfSelector })).toEqual({
        status: "Not Available",
        message:
          "net9 was not switched up: no selected pod lists it, and none has an attached network with this interface",
      });
    expect(requests).toEqual([]);
    expect(conditions()).toEqual(["False Waiting", "True Answers"]);
  });

  it("switches an interface up that the CNF does not list while it is down, if it was listed before or its network is attached", async () => {
    const net7 = { ...net2, name: "net7" };
    const { inspect, requests, interfaces, cnf } = start([net7]);
    cnf.setInterface = async (...[name = "", action]: string[]) => {
      requests.push(`${name} ${action}`);
      interfaces.splice(0, 1, ...(action === "up" ? [{ ...net2, name }] : []));
    };
    expect(await inspect({ name: "net7", status: "down", cnfSelector })).toEqual({ status: "Not Available" });
    expect(await inspect({ name: "net7", status: "up", cnfSelector })).toMatchObject({ status: "UP" });
    interfaces.length = 0;
    expect(await inspect({ name: "net2", status: "up", cnfSelector })).toMatchObject({ status: "UP" });
    expect(requests).toEqual(["net7 down", "net7 up", "net2 up"]);
  });

  it.each([
    ["refuses", () => Promise.reject(new OpenWrtError(404, "Cannot find interface[net2]")), /: Error Code: 404/],
    ["accepts without effect", async () => {}, /the CNF accepted the request, but does not report net2 as up$/],
  ])(
    "retries what the CNF %s after growing delays, and immediately when the spec changes",
    async (_, response, message) => {
      const { inspect, clock, cnf, reasons, cluster, reconcile } = start([]);
      const setInterface = vi.fn<typeof cnf.setInterface>(response);
      cnf.setInterface = setInterface;
      const want = () => inspect({ name: "net2", status: "up", cnfSelector });
      for (let checks = 0; checks < 60; checks++) {
        expect(await want()).toEqual({ status: "Not Available", message: expect.stringMatching(message) });
        await clock.advance(30_000);
      }
      const tries = setInterface.mock.calls.length;
      expect(tries).toBeGreaterThan(8);
      expect(tries).toBeLessThan(40);
      expect(reasons()).toEqual(["CniInterface a: Refused"]);
      await want();
      setInterface.mockClear();
      await reconcile("a");
      expect(setInterface).not.toHaveBeenCalled();
      const { metadata, ...object } = cluster.peek(CniInterface, "cnfs/a") ?? expect.unreachable();
      cluster.restore({ ...object, metadata: { ...metadata, generation: 7 } });
      await reconcile("a");
      expect(setInterface).toHaveBeenCalledTimes(1);
    },
  );

  it.each(["eth0", "net0"])("does not switch the interface down that the CNF is reached through: %s", async (name) => {
    const way = { ...net2, name, ip_address: name === "eth0" ? [] : ["10.9.9.9", "10.0.0.1/24"] };
    const { inspect, requests } = start([way]);
    expect(await inspect({ name, status: "down", cnfSelector })).toMatchObject({
      status: "UP",
      message: `${name} stays up: the operator reaches the CNF through this interface, and could not switch it up again`,
    });
    expect(requests).toEqual([]);
    expect(await inspect({ name, status: "up", cnfSelector })).not.toHaveProperty("message");
  });

  it("lets the older of two objects for one interface switch it, and reports this in the status of the younger", async () => {
    const { inspect, requests, cluster } = start([net2]);
    await inspect({ name: "net2", status: "up", cnfSelector }, "older", "2026-01-01T00:00:00Z");
    await inspect({ name: "net2", status: "up", cnfSelector }, "between", "2026-01-01T12:00:00Z");
    const younger = () => inspect({ name: "net2", status: "down", cnfSelector }, "younger", "2026-01-02T00:00:00Z");
    expect(await younger()).toMatchObject({
      status: "UP",
      message: "net2 is controlled by the older CniInterface cnfs/older",
    });
    await inspect({ name: "net2", status: "up", cnfSelector }, "older", "2026-01-01T00:00:00Z");
    expect(requests).toEqual([]);
    for (const name of ["older", "between"]) cluster.remove(CniInterface, `cnfs/${name}`);
    expect(await younger()).toEqual({ ...net2, name: undefined, status: "DOWN" });
    expect(requests).toEqual(["net2 down"]);
  });

  it("does not compete with an object that only shows the interface, names another interface, or is for another CNF", async () => {
    const { inspect, requests } = start([net2]);
    await inspect({ name: "net2", cnfSelector }, "shows", "2020-01-01T00:00:00Z");
    await inspect({ name: "net1", status: "up", cnfSelector }, "other", "2020-01-01T00:00:00Z");
    const elsewhere = { matchLabels: { sdewanPurpose: "hub" } };
    await inspect({ name: "net2", status: "up", cnfSelector: elsewhere }, "elsewhere", "2020-01-01T00:00:00Z");
    requests.length = 0;
    await inspect({ name: "net2", status: "down", cnfSelector });
    expect(requests).toEqual(["net2 down"]);
  });

  it.each(["..", ".", "../../x", "%2e%2e", "a b\r\nX: y", "__proto__/x", "eth0;reboot", "-a", "$(x)"])(
    "sends no request for a value that is not an interface name: %j",
    async (name) => {
      const { inspect, requests } = start([{ ...net2, name }]);
      expect(await inspect({ name, status: "up", cnfSelector })).toEqual({
        status: "Not Available",
        message: "spec.name: not a valid network interface name",
      });
      expect(requests).toEqual([]);
    },
  );

  it("switches CNFs in scope only", async () => {
    const { inspect, requests } = start([net2], "elsewhere");
    expect(await inspect({ name: "net2", status: "down", cnfSelector })).toMatchObject({
      status: "Not Available",
      message: expect.stringContaining("--cnf-namespaces=elsewhere"),
    });
    expect(requests).toEqual([]);
  });
});

describe("the interfaces in a CNF's response", () => {
  it("are limited in length, and have the types of a status", () => {
    const long = "x".repeat(1_000_000);
    const shown = shownInterfaces([
      { name: "net1", status: long, mac_address: { a: 1 }, ip_address: "abc", received_packets: 9 },
      { name: null },
      { name: long },
      { name: "net2", status: "UP", ip_address: [...Array(1_000).fill("10.0.0.1"), 5, null], ["__proto__"]: { up: 1 } },
    ]);
    expect(shown).toEqual([{ name: "net1" }, { name: "net2", status: "UP", ip_address: Array(32).fill("10.0.0.1") }]);
    expect(shownInterfaces(Array(5_000).fill({ name: "a" }))).toHaveLength(1_000);
  });
});
