import { Deployment, ReplicaSet } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import type { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import { metadata, startReconcilers } from "../testing/reconcilers.ts";

const edge = { sdewanPurpose: "edge7" };
const hub = { sdewanPurpose: "hub" };
const accept = { target: "ACCEPT" as const };

/** Starts the reconcilers with a CNF and a rule that was applied to it. `other/a` is another rule for the same name. */
async function startWithRule() {
  const { cluster, reconcile, cnf, waitingRules } = startReconcilers(["10.0.0.1"]);
  const triggered: string[] = [];
  waitingRules.subscribe("FirewallRule", (key) => triggered.push(key), new AbortController().signal);
  const created = { ...metadata, creationTimestamp: "2026-01-02T00:00:00Z" };
  const rule = cluster.put(FirewallRule, { metadata: created, spec: { target: "DROP" } });
  await reconcile(rule);
  const targets = (address = "10.0.0.1") =>
    [...(cnf(address).collections.get("firewall/v1/rules")?.values() ?? [])].map(({ target }) => target);
  expect(targets()).toEqual(["DROP"]);
  const putOther = (labels: Record<string, string>, creationTimestamp = "2026-01-01T00:00:00Z") =>
    cluster.put(FirewallRule, {
      metadata: { ...metadata, namespace: "other", uid: "other", creationTimestamp, labels },
      spec: accept,
    });
  return { cluster, reconcile, cnf, rule, targets, putOther, triggered };
}

function relabel(cluster: FakeCluster, key: string, labels: Record<string, string>): void {
  const stored = cluster.peek(FirewallRule, key) ?? expect.unreachable();
  cluster.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, labels } });
}

function relabelCnf(cluster: FakeCluster, labels: Record<string, string>): void {
  const deployment = cluster.peek(Deployment, "cnfs/edge7") ?? expect.unreachable();
  cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, labels } });
}

/** Deletes the CNF's Deployment without its pods. */
function orphanPods(cluster: FakeCluster): void {
  cluster.remove(Deployment, "cnfs/edge7");
  for (const name of ["cnfs/edge7-old", "cnfs/edge7-new"]) {
    const { ownerReferences: _owners, ...rest } = (cluster.peek(ReplicaSet, name) ?? expect.unreachable()).metadata;
    cluster.put(ReplicaSet, { metadata: rest });
  }
}

const remove = (cluster: FakeCluster, key = "default/a") => cluster.client.delete(FirewallRule, key);

describe("a deleted rule", () => {
  it("deletes its object although an older rule claims the name, if that rule was never applied", async () => {
    const { cluster, reconcile, rule, targets, putOther, triggered } = await startWithRule();
    putOther(edge);
    await remove(cluster);
    await reconcile(rule);
    expect(targets()).toEqual([]);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
    expect(triggered).toContain("other/a");
  });

  it("leaves the object of an older rule that took the name", async () => {
    const { cluster, reconcile, rule, targets, putOther } = await startWithRule();
    await reconcile(putOther(edge));
    await remove(cluster);
    await reconcile(rule);
    expect(targets()).toEqual(["ACCEPT"]);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });

  it("deletes its object although an older rule has moved here, if that rule is still recorded only for its former CNF", async () => {
    const { cluster, reconcile, rule, targets, putOther } = await startWithRule();
    putCnf(cluster, "hub", ["10.0.0.2"]);
    await reconcile(putOther(hub));
    relabel(cluster, "other/a", edge);
    await remove(cluster);
    await reconcile(rule);
    expect(targets()).toEqual([]);
  });

  it("leaves the object of an older rule on pods of a deleted Deployment", async () => {
    const { cluster, reconcile, rule, targets, putOther } = await startWithRule();
    await reconcile(putOther(edge));
    orphanPods(cluster);
    await remove(cluster);
    await reconcile(rule);
    expect(targets()).toEqual(["ACCEPT"]);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });

  it("deletes its object on pods of a deleted Deployment although an older rule claims the name", async () => {
    const { cluster, reconcile, rule, targets, putOther } = await startWithRule();
    putOther(edge);
    orphanPods(cluster);
    await remove(cluster);
    await reconcile(rule);
    expect(targets()).toEqual([]);
  });
});

describe.each([
  ["deleted", (cluster: FakeCluster) => remove(cluster)],
  ["moved", async (cluster: FakeCluster) => relabel(cluster, "default/a", { sdewanPurpose: "nobody" })],
])("a rule that is %s after its CNF got another purpose", (_how, leave) => {
  it("deletes its object if a rule with that purpose claims the name but was never applied", async () => {
    const { cluster, reconcile, rule, targets, putOther, triggered } = await startWithRule();
    relabelCnf(cluster, hub);
    putOther(hub);
    await leave(cluster);
    await reconcile(rule);
    expect(targets()).toEqual([]);
    expect(cluster.peek(FirewallRule, "default/a")?.metadata.finalizers ?? []).toEqual([]);
    expect(triggered).toContain("other/a");
  });

  it("leaves the object of a rule with that purpose", async () => {
    const { cluster, reconcile, rule, targets, putOther } = await startWithRule();
    relabelCnf(cluster, hub);
    await reconcile(putOther(hub));
    await leave(cluster);
    await reconcile(rule);
    expect(targets()).toEqual(["ACCEPT"]);
    expect(cluster.peek(FirewallRule, "default/a")?.metadata.finalizers ?? []).toEqual([]);
  });
});

describe("a rule that stays", () => {
  it("keeps its object if the Deployment is deleted without its pods during a write", async () => {
    const { cluster, reconcile, cnf, rule, targets } = await startWithRule();
    const fake = cnf("10.0.0.1");
    fake.fail = () => {
      if (cluster.peek(Deployment, "cnfs/edge7")) orphanPods(cluster);
      return undefined;
    };
    await reconcile(rule);
    expect(cluster.peek(Deployment, "cnfs/edge7")).toBeUndefined();
    expect(targets()).toEqual(["DROP"]);
    await reconcile(rule);
    expect(targets()).toEqual(["DROP"]);
    expect(cluster.peek(FirewallRule, "default/a")?.status).toMatchObject({ state: "Idle" });
  });
});

describe("a rule that moves", () => {
  it("deletes its object although a rule claims the name that is still recorded only for its former CNF", async () => {
    const { cluster, reconcile, rule, targets, putOther } = await startWithRule();
    putCnf(cluster, "hub", ["10.0.0.2"]);
    await reconcile(putOther(hub));
    relabel(cluster, "other/a", edge);
    relabel(cluster, "default/a", { sdewanPurpose: "nobody" });
    await reconcile(rule);
    expect(targets()).toEqual([]);
  });

  it.each([
    ["is deleted at once", {}],
    ["becomes invalid", { ports: "x" }],
  ])("deletes its object even if it moves together with its CNF and %s", async (_what, spec) => {
    const { cluster, reconcile, rule, targets } = await startWithRule();
    relabelCnf(cluster, hub);
    relabel(cluster, "default/a", hub);
    const stored = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    cluster.put(FirewallRule, { ...stored, spec: { ...stored.spec, ...spec } });
    await reconcile(rule);
    expect(targets()).toEqual(["DROP"]);
    await remove(cluster);
    await reconcile(rule);
    expect(targets()).toEqual([]);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });
});
