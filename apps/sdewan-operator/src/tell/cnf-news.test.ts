import { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { recordedEvents } from "../testing/recorded-events.ts";
import { CnfNews } from "./cnf-news.ts";
import { Herald } from "./herald.ts";

function start() {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const { herald, told, reasons } = recordedEvents();
  const news = new CnfNews({ reader: cluster.client, herald, scope: everyNamespace });
  const pod = () => cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
  const ipsec = (up: string, InitConnection = "success", connecting = "0") =>
    news.heard(pod(), [
      { name: "ipsec", status: { InitConnection, details: [{ up, connecting }, { connection: "x" }] } },
    ]);
  return { cluster, news, told, reasons, pod, ipsec };
}

describe("the Events of a CNF", () => {
  it("report once on its Deployment that it does not respond, and again after it responded", async () => {
    const { news, reasons, pod, told } = start();
    await news.silent(pod(), "connect ECONNREFUSED");
    expect(told[0]?.note).toBe("The CNF in pod edge7-0 does not respond: connect ECONNREFUSED");
    await news.silent(pod(), "timed out");
    await news.heard(pod(), []);
    await news.silent(pod(), "timed out");
    expect(reasons()).toEqual(["Deployment edge7: CnfUnreachable", "Deployment edge7: CnfUnreachable"]);
  });

  it("do not report a pod that is only starting", async () => {
    const { news, reasons, cluster, pod } = start();
    const { status } = pod();
    cluster.restore({ ...pod(), status: { ...status, conditions: [] } });
    await news.silent(pod(), "connect ECONNREFUSED");
    expect(reasons()).toEqual([]);
  });

  it("report tunnels that go down and up, and nothing without changes", async () => {
    const { reasons, ipsec, told } = start();
    await ipsec("2");
    await ipsec("2");
    expect(reasons()).toEqual([]);
    await ipsec("1", "fail");
    await ipsec("1", "fail");
    expect(told[0]?.note).toBe(
      "IPsec in pod edge7-0: 1 up, 0 connecting, some are missing; before: 2 up, 0 connecting",
    );
    expect(reasons()).toEqual(["Deployment edge7: TunnelDown"]);
    await ipsec("2");
    expect(reasons()).toEqual(["Deployment edge7: TunnelUp"]);
  });

  it("report tunnels that are missing from the start, and ignore data without tunnels", async () => {
    const { reasons, ipsec, news, pod } = start();
    await news.heard(pod(), [{ name: "ipsec", status: "Not Available" }]);
    await news.heard(pod(), [{ name: "ipsec", status: { InitConnection: "success", details: [null, { up: {} }] } }]);
    expect(reasons()).toEqual([]);
    await ipsec("0", "fail");
    expect(reasons()).toEqual(["Deployment edge7: TunnelDown"]);
  });

  it("report a restart, on the pod if it has no Deployment", async () => {
    const { news, reasons, pod, cluster } = start();
    await news.restarted(pod());
    putPod(cluster, "edge7", 0, "10.0.0.1");
    const { ownerReferences: _owners, ...metadata } = pod().metadata;
    await news.restarted({ ...pod(), metadata });
    expect(reasons()).toEqual(["Deployment edge7: CnfRestarted", "Pod edge7-0: CnfRestarted"]);
  });

  it("start again when the pod was deleted", async () => {
    const { news, reasons, pod } = start();
    await news.silent(pod(), "x");
    news.keep(new Set());
    await news.silent(pod(), "x");
    expect(reasons()).toHaveLength(2);
  });
});

it("cut notes to the maximum length of an Event, between characters", () => {
  const notes: string[] = [];
  const herald = new Herald({ event: (_about, { note }) => void notes.push(note) });
  const about = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
  herald.tell(about, "Refused", "ä".repeat(2_000));
  herald.tell(about, "Refused", `x${"ä".repeat(2_000)}`);
  for (const note of notes) {
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(note).toMatch(/^x?ä+\.\.\.$/);
  }
});
