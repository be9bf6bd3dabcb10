import { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { IpsecHost } from "../api/ipsec/ipsec-host.ts";
import { IpsecSite } from "../api/ipsec/ipsec-site.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import { recordedEvents } from "../testing/recorded-events.ts";
import { CnfNews } from "./cnf-news.ts";

const network = (index: number): string => `10.${index}.0.0/16`;

function start(scope = "cnfs") {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const { herald, told, reasons } = recordedEvents();
  const news = new CnfNews({ reader: cluster.client, herald, scope: CnfScope.from(scope) });
  const pod = () => cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
  const put = (name: string, mode: "start" | "add" | "route", index: number, state = "In Sync") =>
    cluster.put(IpsecHost, {
      metadata: { name, namespace: "default", labels: { sdewanPurpose: "edge7" } },
      spec: {
        connections: [{ name, conn_type: "tunnel", mode, local_subnet: network(0), remote_subnet: network(index) }],
      },
      status: { state },
    } as never);
  /** The CNF is asked, and says which tunnels stand. @returns of what resources were told */
  const ask = async (up: number, standing: readonly number[] = [], configured = up): Promise<string[]> => {
    const InitConnection = up < configured ? "fail" : "success";
    const lines = standing.map((index) => ({ connection: `${network(0)} === ${network(index)}` }));
    const details = [{ up: String(up), connecting: "0" }, ...lines];
    await news.heard(pod(), [{ name: "ipsec", status: { InitConnection, details } }]);
    return reasons().filter((line) => !line.startsWith("Deployment"));
  };
  return { cluster, news, told, put, ask, reasons, pod };
}

describe("the news of tunnels", () => {
  it("are told to those whose they are, once they are missing for the second time, and again when they stand", async () => {
    const { put, ask } = start();
    put("one", "start", 1);
    put("two", "start", 2);
    expect(await ask(2, [1, 2])).toEqual([]);
    expect(await ask(1, [2])).toEqual(["IpsecHost one: TunnelDown"]);
    expect(await ask(1, [2])).toEqual([]);
    expect(await ask(2, [1, 2])).toEqual(["IpsecHost one: TunnelUp"]);
    put("three", "start", 3);
    expect(await ask(2, [1, 2])).toEqual([]);
    expect(await ask(2, [1, 2])).toEqual(["IpsecHost three: TunnelDown"]);
  });

  it("go to all whose tunnels may be missing, where the CNF does not say which do not stand", async () => {
    const { cluster, put, ask } = start();
    put("one", "start", 1);
    cluster.put(IpsecSite, {
      metadata: { name: "site", namespace: "default", labels: { sdewanPurpose: "edge7" } },
      spec: { connections: [{ name: "c", conn_type: "tunnel", mode: "start" }] },
      status: { state: "In Sync" },
    } as never);
    await ask(2);
    expect((await ask(1)).sort()).toEqual(["IpsecHost one: TunnelDown", "IpsecSite site: TunnelDown"]);
  });

  it("are none of connections that wait for a peer or for traffic, of what is on no CNF, and of others' namespaces", async () => {
    const { put, ask, reasons, news, pod } = start();
    put("adding", "add", 1);
    put("routing", "route", 2);
    put("refused", "start", 3, "Trying to apply");
    for (let round = 0; round < 3; round++) expect(await ask(0, [], 2)).toEqual([]);
    // Nor does the CNF itself count as one with a tunnel missing, though it says so.
    await news.heard(pod(), [{ name: "ipsec", status: { InitConnection: "fail", details: [{ up: "0" }] } }]);
    expect(reasons()).toEqual([]);
    const elsewhere = start("same");
    elsewhere.put("one", "start", 1);
    await elsewhere.ask(1);
    expect(await elsewhere.ask(0)).toEqual([]);
  });

  it("name the pod, and repeat no key", async () => {
    const { put, ask, told, news, pod } = start();
    put("one", "start", 1);
    await ask(1);
    await news.heard(pod(), [
      { name: "ipsec", status: { InitConnection: "fail", details: [{ up: "0", connecting: "1" }] } },
    ]);
    expect(told.find(({ about }) => about === "IpsecHost one")).toMatchObject({
      type: "Warning",
      note: "A tunnel of it on the CNF in pod edge7-0 does not stand; IPsec there: 0 up, 1 connecting",
    });
  });
});
