import { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import { recordedEvents } from "../testing/recorded-events.ts";
import { CnfEvents } from "./cnf-events.ts";

const network = (index: number): string => `10.${index}.0.0/16`;

function start(scope = "cnfs") {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const { reporter, events, reasons } = recordedEvents();
  const cnfEvents = new CnfEvents({ reader: cluster.client, reporter, scope: CnfScope.from(scope) });
  const pod = () => cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
  const put = (name: string, mode: "start" | "add" | "route", index: number, state = "In Sync") =>
    cluster.put(IpsecHost, {
      metadata: { name, namespace: "default", labels: { sdewanPurpose: "edge7" } },
      spec: {
        connections: [{ name, conn_type: "tunnel", mode, local_subnet: network(0), remote_subnet: network(index) }],
      },
      status: { state },
    } as never);
  /** Reports the tunnels that are up. @returns the resources with new Events */
  const report = async (up: number, upIndexes: readonly number[] = [], configured = up): Promise<string[]> => {
    const InitConnection = up < configured ? "fail" : "success";
    const lines = upIndexes.map((index) => ({ connection: `${network(0)} === ${network(index)}` }));
    const details = [{ up: String(up), connecting: "0" }, ...lines];
    await cnfEvents.reported(pod(), [{ name: "ipsec", status: { InitConnection, details } }]);
    return reasons().filter((line) => !line.startsWith("Deployment"));
  };
  return { cluster, cnfEvents, events, put, report, reasons, pod };
}

describe("the Events of tunnels", () => {
  it("appear on the resources of tunnels that are missing for the second time, and again when these are up", async () => {
    const { put, report } = start();
    put("one", "start", 1);
    put("two", "start", 2);
    expect(await report(2, [1, 2])).toEqual([]);
    expect(await report(1, [2])).toEqual(["IpsecHost one: TunnelDown"]);
    expect(await report(1, [2])).toEqual([]);
    expect(await report(2, [1, 2])).toEqual(["IpsecHost one: TunnelUp"]);
    put("three", "start", 3);
    expect(await report(2, [1, 2])).toEqual([]);
    expect(await report(2, [1, 2])).toEqual(["IpsecHost three: TunnelDown"]);
  });

  it("appear on all resources with possibly missing tunnels if the CNF does not report which ones are down", async () => {
    const { cluster, put, report } = start();
    put("one", "start", 1);
    cluster.put(IpsecSite, {
      metadata: { name: "site", namespace: "default", labels: { sdewanPurpose: "edge7" } },
      spec: { connections: [{ name: "c", conn_type: "tunnel", mode: "start" }] },
      status: { state: "In Sync" },
    } as never);
    await report(2);
    expect((await report(1)).sort()).toEqual(["IpsecHost one: TunnelDown", "IpsecSite site: TunnelDown"]);
  });

  it("do not appear for connections that wait for a peer or traffic, that are on no CNF, or in other namespaces", async () => {
    const { put, report, reasons, cnfEvents, pod } = start();
    put("adding", "add", 1);
    put("routing", "route", 2);
    put("refused", "start", 3, "Trying to apply");
    for (let round = 0; round < 3; round++) expect(await report(0, [], 2)).toEqual([]);
    // Nor does the CNF itself count as having a tunnel down, though it reports that.
    await cnfEvents.reported(pod(), [{ name: "ipsec", status: { InitConnection: "fail", details: [{ up: "0" }] } }]);
    expect(reasons()).toEqual([]);
    const elsewhere = start("same");
    elsewhere.put("one", "start", 1);
    await elsewhere.report(1);
    expect(await elsewhere.report(0)).toEqual([]);
  });

  it("name the pod, and repeat no key", async () => {
    const { put, report, events, cnfEvents, pod } = start();
    put("one", "start", 1);
    await report(1);
    await cnfEvents.reported(pod(), [
      { name: "ipsec", status: { InitConnection: "fail", details: [{ up: "0", connecting: "1" }] } },
    ]);
    expect(events.find(({ about }) => about === "IpsecHost one")).toMatchObject({
      type: "Warning",
      note: "One of its tunnels on the CNF in pod edge7-0 is down; IPsec there: 0 up, 1 connecting",
    });
  });
});
