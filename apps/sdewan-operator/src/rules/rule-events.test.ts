import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { FirewallDNAT, FirewallSNAT } from "../api/firewall/firewall-nat.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { pausedAnnotation } from "../api/group.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { putPod } from "../testing/fixtures.ts";
import { metadata, type ReconcilersOptions, startReconcilers } from "../testing/reconcilers.ts";

const path = "firewall/v1/rules";
const address = "10.0.0.1";

function start(options: ReconcilersOptions = {}) {
  const all = startReconcilers([address], options);
  const { cluster, reconcile } = all;
  const cnf = all.cnf(address);
  const put = (spec: FirewallRule["spec"] = { target: "DROP" }, more: object = {}) =>
    cluster.put(FirewallRule, { metadata: { ...metadata, ...more }, spec });
  const stored = () => cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
  /** Returns type, status and reason of each condition. */
  const conditions = () =>
    stored().status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  const again = async () => reconcile(stored());
  return { ...all, cnf, put, stored, conditions, again };
}

describe("the events and conditions of a rule", () => {
  it("report once that it was applied, and that it is ready", async () => {
    const { put, reconcile, again, reasons, conditions, stored } = start();
    await reconcile(put());
    expect(reasons()).toEqual(["FirewallRule a: Applied"]);
    expect(conditions()).toEqual(["Ready True Applied", "Reachable True Answers", "Effective Unknown NotReported"]);
    expect(stored().status?.observedGeneration).toBe(1);
    const { resourceVersion } = stored().metadata;
    for (let times = 0; times < 5; times++) await again();
    expect(reasons()).toEqual([]);
    expect(stored().metadata.resourceVersion).toBe(resourceVersion);
  });

  it("report once that the CNF refuses it, even if the CNF varies its message", async () => {
    const { put, reconcile, again, reasons, conditions, cnf, stored } = start();
    let times = 0;
    cnf.fail = (request) => (/^POST/.test(request) ? new OpenWrtError(400, `no, ${++times}`) : undefined);
    await reconcile(put());
    expect(reasons()).toEqual(["FirewallRule a: Refused"]);
    expect(conditions()).toEqual(["Ready False Refused", "Reachable True Answers", "Effective Unknown NotApplied"]);
    for (let more = 0; more < 5; more++) await again();
    expect(reasons()).toEqual([]);
    cnf.fail = () => undefined;
    const { metadata: now } = stored();
    put({ target: "ACCEPT" }, { ...now, generation: 2 });
    await again();
    expect(reasons()).toEqual(["FirewallRule a: Applied"]);
    expect(stored().status).toMatchObject({ observedGeneration: 2, conditions: [{ status: "True" }, {}, {}] });
  });

  it("report that its CNF does not respond, and then that it is ready again", async () => {
    const { put, reconcile, again, reasons, conditions, cnf } = start();
    cnf.fail = () => new OpenWrtNetworkError("GET", "connect ECONNREFUSED");
    await reconcile(put());
    await again();
    expect(reasons()).toEqual(["FirewallRule a: CnfUnreachable"]);
    expect(conditions()).toEqual([
      "Ready False CnfUnreachable",
      "Reachable False CnfUnreachable",
      "Effective Unknown NotApplied",
    ]);
    cnf.fail = () => undefined;
    await again();
    expect(reasons()).toEqual(["FirewallRule a: Applied"]);
    expect(conditions()).toEqual(["Ready True Applied", "Reachable True Answers", "Effective Unknown NotReported"]);
  });

  it("report that another resource has its name, and nothing about the CNF, which was not queried", async () => {
    const { cluster, reconcile, reasons } = start();
    const older = cluster.put(FirewallSNAT, { metadata: { ...metadata, uid: "1" }, spec: {} });
    const younger = cluster.put(FirewallDNAT, {
      metadata: { ...metadata, uid: "2", creationTimestamp: "2026-01-02T00:00:00Z" },
      spec: {},
    });
    await reconcile(older);
    await reconcile(younger);
    expect(reasons()).toEqual(["FirewallSNAT a: Applied", "FirewallDNAT a: NameTaken"]);
    const status = cluster.peek(FirewallDNAT, "default/a")?.status;
    expect(status?.conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "NameTaken" },
      { type: "Effective", status: "Unknown", reason: "NotApplied" },
    ]);
  });

  it("use the Kubernetes names of resources if the CNF uses others", async () => {
    const { cluster, reconcile, cnf } = start();
    const policy = { members: [{ network: "ovn-net1", metric: 1, weight: 1 }] };
    cluster.put(Mwan3Policy, { metadata: { ...metadata, name: "my-policy" }, spec: policy });
    const other = cluster.put(Mwan3Policy, { metadata: { ...metadata, name: "b" }, spec: policy });
    cnf.fail = (request) =>
      /^POST/.test(request)
        ? new OpenWrtError(400, "my_policy is in the way, not any_policy nor my_policy2")
        : undefined;
    await reconcile(other);
    expect(cluster.peek(Mwan3Policy, "default/b")?.status?.message).toContain(
      "my_policy (Mwan3Policy default/my-policy) is in the way, not any_policy nor my_policy2",
    );
  });

  it("never contain a key, even if the CNF repeats it", async () => {
    const { cluster, reconcile, cnf, events } = start();
    const key = "very-secret-key";
    cnf.fail = (request) => (/^POST/.test(request) ? new OpenWrtError(400, `bad ${key}`) : undefined);
    const connections = [{ name: "c", conn_type: "tunnel" as const, mode: "start" as const }];
    const remote = { remote: "10.0.0.9", authentication_method: "psk" as const, pre_shared_key: key };
    await reconcile(cluster.put(IpsecHost, { metadata, spec: { ...remote, crypto_proposal: ["p"], connections } }));
    expect(events).toMatchObject([{ reason: "Refused", type: "Warning" }]);
    const status = cluster.peek(IpsecHost, "default/a")?.status;
    expect(status?.message).toContain("Error Code: 400, Error Message: not shown");
    expect(JSON.stringify([events, status])).not.toContain(key);
  });
});

describe("a change by others on the CNF", () => {
  it("is reverted, reported and counted", async () => {
    const { put, reconcile, again, reasons, drifts, cnf } = start();
    await reconcile(put());
    reasons();
    cnf.collections.get(path)?.set("a", { name: "a", target: "ACCEPT" });
    await again();
    expect(cnf.collections.get(path)?.get("a")).toMatchObject({ target: "DROP" });
    cnf.collections.get(path)?.delete("a");
    await again();
    expect(cnf.collections.get(path)?.get("a")).toMatchObject({ target: "DROP" });
    expect(reasons()).toEqual(["FirewallRule a: DriftRepaired", "FirewallRule a: DriftRepaired"]);
    expect(drifts).toEqual(["FirewallRule repair", "FirewallRule repair"]);
  });

  it.each<[string, () => Record<string, string> | undefined]>([
    ["changed", () => ({ name: "a", target: "ACCEPT" })],
    ["gone", () => undefined],
  ])("is kept and reported with --drift=report until someone reverts it: %s", async (_what, foreign) => {
    const { put, reconcile, again, reasons, drifts, conditions, cnf, stored } = start({ drift: "report" });
    await reconcile(put());
    const left = cnf.collections.get(path)?.get("a") ?? expect.unreachable();
    reasons();
    const object = foreign();
    if (object) cnf.collections.get(path)?.set("a", object);
    else cnf.collections.get(path)?.delete("a");
    for (let times = 0; times < 3; times++) expect(await again()).toEqual({ requeueAfterMs: 30_000 });
    expect(cnf.collections.get(path)?.get("a")).toEqual(object);
    expect(reasons()).toEqual(["FirewallRule a: Drifted"]);
    expect(drifts).toEqual(["FirewallRule report"]);
    expect(conditions()).toEqual(["Ready False Drifted", "Reachable True Answers", "Effective Unknown NotApplied"]);
    expect(stored().status?.state).toBe("Unknown status");
    cnf.collections.get(path)?.set("a", left);
    await again();
    expect(conditions()).toEqual(["Ready True Applied", "Reachable True Answers", "Effective Unknown NotReported"]);
  });

  it("does not prevent an update of the resource, nor the configuration of a restarted pod", async () => {
    const { put, reconcile, again, cnf, stored, cluster } = start({ drift: "report" });
    await reconcile(put());
    cnf.collections.get(path)?.set("a", { name: "a", target: "ACCEPT" });
    put({ target: "REJECT" }, { ...stored().metadata, generation: 2 });
    await again();
    expect(cnf.collections.get(path)?.get("a")).toMatchObject({ target: "REJECT" });
    cnf.collections.clear();
    putPod(cluster, "edge7", 0, address, 1);
    await again();
    expect(cnf.collections.get(path)?.get("a")).toMatchObject({ target: "REJECT" });
  });
});

describe("a paused rule", () => {
  const annotations = { [pausedAnnotation]: "true" };

  it("is left unchanged, even its deletion, until it is resumed", async () => {
    const { put, reconcile, again, cnf, conditions, stored, cluster } = start();
    await reconcile(put());
    const { metadata: before, status } = stored();
    const pause = (on: boolean, more: object = {}): void =>
      void cluster.restore({
        ...stored(),
        spec: { target: "REJECT" },
        metadata: { ...stored().metadata, annotations: { ...before.annotations, ...(on ? annotations : {}) }, ...more },
      });
    pause(true, { generation: 2 });
    cnf.requests.length = 0;
    await again();
    expect(cnf.requests).toEqual([]);
    expect(conditions()).toEqual(["Ready False Paused", "Reachable True Answers", "Effective Unknown NotApplied"]);
    expect(stored().status).toMatchObject({ state: "Idle", appliedGeneration: status?.appliedGeneration });
    pause(true, { deletionTimestamp: "2026-01-01T01:00:00Z" });
    await again();
    expect(cnf.collections.get(path)?.get("a")).toMatchObject({ target: "DROP" });
    pause(false);
    await again();
    expect(cnf.collections.get(path)?.size).toBe(0);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });
});
