import { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { recordedEvents } from "../testing/recorded-events.ts";
import { CnfEvents } from "./cnf-events.ts";
import { EventReporter } from "./event-reporter.ts";

function start() {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const { reporter, events, reasons } = recordedEvents();
  const cnfEvents = new CnfEvents({ reader: cluster.client, reporter, scope: everyNamespace });
  const pod = () => cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
  const ipsec = (up: string, InitConnection = "success", connecting = "0") =>
    cnfEvents.reported(pod(), [
      { name: "ipsec", status: { InitConnection, details: [{ up, connecting }, { connection: "x" }] } },
    ]);
  return { cluster, cnfEvents, events, reasons, pod, ipsec };
}

describe("the Events of a CNF", () => {
  it("report once on its Deployment that it does not respond, and again after it responded", async () => {
    const { cnfEvents, reasons, pod, events } = start();
    await cnfEvents.unreachable(pod(), "connect ECONNREFUSED");
    expect(events[0]?.note).toBe("The CNF in pod edge7-0 does not respond: connect ECONNREFUSED");
    await cnfEvents.unreachable(pod(), "timed out");
    await cnfEvents.reported(pod(), []);
    await cnfEvents.unreachable(pod(), "timed out");
    expect(reasons()).toEqual(["Deployment edge7: CnfUnreachable", "Deployment edge7: CnfUnreachable"]);
  });

  it("report objects of others between those of resources, once and without secrets", async () => {
    const { cluster, cnfEvents, events, reasons, pod } = start();
    const labels = { sdewanPurpose: "edge7" };
    cluster.put(FirewallRule, { metadata: { name: "paused", namespace: "default", labels }, spec: {} });
    const path = "firewall/v1/rules";
    const hideOf = async () => (text: string) => text.replaceAll("hush", "***");
    const see = (...names: readonly string[]) => cnfEvents.othersBetween(pod(), new Map([[path, names]]), hideOf);
    await see();
    await see("paused");
    expect(events).toEqual([]);
    await see("paused", "hush-1", "b");
    await see("paused", "hush-1", "b");
    expect(events[0]?.note).toBe(
      'The CNF in pod edge7-0 has unmanaged objects between managed ones; they may take precedence: firewall/v1/rules: "***-1", "b"',
    );
    await see();
    await see(...Array.from({ length: 200 }, (_, index) => `${index} ${"x".repeat(500)}`));
    expect(events.at(-1)?.note).toMatch(/ and 197 more$/);
    expect(reasons()).toEqual(["Deployment edge7: OthersBetween", "Deployment edge7: OthersBetween"]);
  });

  it("do not report a pod that is only starting", async () => {
    const { cnfEvents, reasons, cluster, pod } = start();
    const { status } = pod();
    cluster.restore({ ...pod(), status: { ...status, conditions: [] } });
    await cnfEvents.unreachable(pod(), "connect ECONNREFUSED");
    expect(reasons()).toEqual([]);
  });

  it("report tunnels that go down and up, and nothing without changes", async () => {
    const { reasons, ipsec, events } = start();
    await ipsec("2");
    await ipsec("2");
    expect(reasons()).toEqual([]);
    await ipsec("1", "fail");
    await ipsec("1", "fail");
    expect(events[0]?.note).toBe(
      "IPsec in pod edge7-0: 1 up, 0 connecting, some are missing; before: 2 up, 0 connecting",
    );
    expect(reasons()).toEqual(["Deployment edge7: TunnelDown"]);
    await ipsec("2");
    expect(reasons()).toEqual(["Deployment edge7: TunnelUp"]);
  });

  it("report tunnels that are missing from the start, and ignore data without tunnels", async () => {
    const { reasons, ipsec, cnfEvents, pod } = start();
    await cnfEvents.reported(pod(), [{ name: "ipsec", status: "Not Available" }]);
    await cnfEvents.reported(pod(), [
      { name: "ipsec", status: { InitConnection: "success", details: [null, { up: {} }] } },
    ]);
    expect(reasons()).toEqual([]);
    await ipsec("0", "fail");
    expect(reasons()).toEqual(["Deployment edge7: TunnelDown"]);
  });

  it("report a restart, on the pod if it has no Deployment", async () => {
    const { cnfEvents, reasons, pod, cluster } = start();
    await cnfEvents.restarted(pod());
    putPod(cluster, "edge7", 0, "10.0.0.1");
    const { ownerReferences: _owners, ...metadata } = pod().metadata;
    await cnfEvents.restarted({ ...pod(), metadata });
    expect(reasons()).toEqual(["Deployment edge7: CnfRestarted", "Pod edge7-0: CnfRestarted"]);
  });

  it("start again when the pod was deleted", async () => {
    const { cnfEvents, reasons, pod } = start();
    await cnfEvents.unreachable(pod(), "x");
    cnfEvents.keep(new Set());
    await cnfEvents.unreachable(pod(), "x");
    expect(reasons()).toHaveLength(2);
  });
});

it("cut notes to the maximum length of an Event, between characters", () => {
  const notes: string[] = [];
  const reporter = new EventReporter({ event: (_about, { note }) => void notes.push(note) });
  const about = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
  reporter.report(about, "Refused", "ä".repeat(2_000));
  reporter.report(about, "Refused", `x${"ä".repeat(2_000)}`);
  for (const note of notes) {
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(note).toMatch(/^x?ä+\.\.\.$/);
  }
});
