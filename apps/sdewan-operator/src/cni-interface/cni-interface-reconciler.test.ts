import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { CniInterface } from "../api/cni-interface.ts";
import type { CnfInterface } from "../cnf/cnf-api.ts";
import { SessionPool } from "../cnf/session-pool.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { FakeCnf } from "../testing/fake-cnf.ts";
import { putCnf } from "../testing/fixtures.ts";
import { CniInterfaceReconciler } from "./cni-interface-reconciler.ts";

const net2: CnfInterface = {
  name: "net2",
  status: "UP",
  mac_address: "0A:00:00:00:00:02",
  ip_address: ["10.44.7.2"],
  received_packets: "77",
  send_packets: "66",
};

function start(interfaces: CnfInterface[]) {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const cnf = new FakeCnf();
  const asked: string[] = [];
  cnf.interfaces = async () => interfaces;
  cnf.setInterface = async (...[name, action]: string[]) => {
    asked.push(`${name} ${action}`);
    interfaces.splice(
      0,
      interfaces.length,
      ...interfaces.map((each) => ({ ...each, status: action?.toUpperCase() ?? "" })),
    );
  };
  const pool = new SessionPool({ reader: cluster.client, connect: () => cnf, endpoint: { scheme: "https" } });
  const reconciler = new CniInterfaceReconciler({ pool, checkIntervalMs: 30_000 });
  const look = async (spec: NonNullable<CniInterface["spec"]>) => {
    const before = cluster.peek(CniInterface, "cnfs/a");
    cluster.put(CniInterface, { ...before, metadata: { name: "a", namespace: "cnfs" }, spec });
    const context = { client: cluster.client, log: silentLogger, signal: new AbortController().signal };
    expect(await reconciler.reconcile("cnfs/a", context)).toEqual({ requeueAfterMs: 30_000 });
    return cluster.peek(CniInterface, "cnfs/a")?.status;
  };
  return { look, asked, interfaces };
}

const cnfSelector = { matchLabels: { sdewanPurpose: "edge7" } };

describe("CniInterfaceReconciler", () => {
  it("shows the interface of the selected pod", async () => {
    const { look } = start([net2]);
    const { name: _name, ...shown } = net2;
    expect(await look({ name: "net2", cnfSelector })).toEqual(shown);
  });

  it("says Not Available, and nothing else, once the interface or the pod is not there", async () => {
    const { look, interfaces } = start([net2]);
    await look({ name: "net2", cnfSelector });
    interfaces.length = 0;
    expect(await look({ name: "net2", cnfSelector })).toEqual({ status: "Not Available" });
    expect(await look({ name: "net2", cnfSelector: {} })).toEqual({ status: "Not Available" });
    expect(await look({ name: "net2" })).toEqual({ status: "Not Available" });
  });

  it("switches the interface to the wanted state, in any letter case, once", async () => {
    const { look, asked } = start([net2]);
    expect(await look({ name: "net2", status: "Down", cnfSelector })).toMatchObject({ status: "DOWN" });
    await look({ name: "net2", status: "Down", cnfSelector });
    expect(asked).toEqual(["net2 down"]);
    expect(await look({ name: "net2", status: "up", cnfSelector })).toMatchObject({ status: "UP" });
  });
});
