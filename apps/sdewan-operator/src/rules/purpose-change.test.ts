import { Deployment } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import type { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";

const rule = () => ({ metadata, spec: { target: "DROP" as const } });

describe("a rule whose purpose changes", () => {
  it("is deleted on the former CNF before it is applied to the next", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    putCnf(cluster, "hub", ["10.0.0.2"]);
    const held = (address: string) => [...(cnf(address).collections.get("firewall/v1/rules")?.keys() ?? [])];
    const relabel = (purpose: Record<string, string>) => {
      const stored = cluster.peek(FirewallRule, "default/a");
      if (!stored) throw new Error("not there");
      return cluster.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, labels: purpose } });
    };
    await reconcile(cluster.put(FirewallRule, rule()));
    const moving = relabel({ sdewanPurpose: "hub" });
    cnf("10.0.0.1").fail = () => new Error("no route");
    await reconcile(moving);
    expect(cluster.peek(FirewallRule, "default/a")?.status).toMatchObject({
      state: "Trying to apply",
      message: "Not yet deleted on the CNF with the purpose edge7: no route",
    });
    expect(held("10.0.0.2")).toEqual([]);
    cnf("10.0.0.1").fail = () => undefined;
    expect(await reconcile(moving)).toEqual({ requeueAfterMs: 20 });
    await reconcile(moving);
    expect([held("10.0.0.1"), held("10.0.0.2")]).toEqual([[], ["a"]]);
    expect(cnf("10.0.0.2").requests.at(-1)).toBe("reload firewall");
    expect(cluster.peek(FirewallRule, "default/a")?.status?.state).toBe("In Sync");

    await reconcile(relabel({}));
    await reconcile(moving);
    expect(held("10.0.0.2")).toEqual([]);
    expect(cluster.peek(FirewallRule, "default/a")?.status?.message).toBe("No label sdewanPurpose");
  });

  it("leaves the former CNF unchanged if another object has the name there now", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const first = cluster.put(FirewallRule, rule());
    await reconcile(first);
    const stored = cluster.peek(FirewallRule, "default/a");
    if (stored) cluster.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, labels: {} } });
    const successor = { ...metadata, namespace: "other", uid: "heir" };
    await reconcile(cluster.put(FirewallRule, { metadata: successor, spec: { target: "ACCEPT" } }));
    await reconcile(first);
    expect(cnf("10.0.0.1").collections.get("firewall/v1/rules")?.get("a")).toMatchObject({ target: "ACCEPT" });
  });

  it("triggers the new owner of its former object, because the cache may not have shown yet that the owner was applied", async () => {
    const { cluster, reconcile, cnf, waitingRules } = start(["10.0.0.1"]);
    const called: string[] = [];
    waitingRules.subscribe("FirewallRule", (key) => called.push(key), new AbortController().signal);
    const first = cluster.put(FirewallRule, rule());
    await reconcile(first);
    const stored = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    cluster.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, labels: { sdewanPurpose: "hub" } } });
    const owner = { ...metadata, namespace: "other", uid: "owner" };
    const unseen = cluster.put(FirewallRule, { metadata: owner, spec: { target: "ACCEPT" } });
    await reconcile(unseen);
    cluster.put(FirewallRule, unseen);
    called.length = 0;
    await reconcile(first);
    expect(called).toContain("other/a");
    await reconcile(unseen);
    expect(cnf("10.0.0.1").collections.get("firewall/v1/rules")?.get("a")).toMatchObject({ target: "ACCEPT" });
  });

  it("is deleted by another process too, even if its spec changed meanwhile", async () => {
    const before = start(["10.0.0.1"]);
    await before.reconcile(before.cluster.put(FirewallRule, rule()));
    const stored = before.cluster.peek(FirewallRule, "default/a");
    if (!stored) throw new Error("not there");
    expect(stored.status?.appliedPurpose).toBe("edge7");
    const moved = { ...stored.metadata, labels: { sdewanPurpose: "hub" } };
    const next = start(undefined, { before });
    await next.reconcile(before.cluster.put(FirewallRule, { ...stored, metadata: moved, spec: { target: "ACCEPT" } }));
    expect([...(before.cnf("10.0.0.1").collections.get("firewall/v1/rules") ?? [])]).toEqual([]);
  });

  describe.each([
    ["relabelled", { sdewanPurpose: "spare" }],
    ["left without a purpose", {}],
  ])("whose former CNF is %s too", (_how, labels) => {
    const relabelCnf = (cluster: FakeCluster): void => {
      const deployment = cluster.peek(Deployment, "cnfs/edge7");
      if (!deployment) throw new Error("not there");
      cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, labels } });
    };
    /** Applied, but the status was not stored; then its label changed. */
    const moveUnseen = (cluster: FakeCluster) => {
      const { status: _status, ...stored } = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
      cluster.remove(FirewallRule, "default/a");
      const metadata = { ...stored.metadata, generation: 2, labels: { sdewanPurpose: "nobody" } };
      return cluster.put(FirewallRule, { ...stored, metadata });
    };
    const rules = "firewall/v1/rules";

    it("is deleted by a process that has only the annotation", async () => {
      const before = start(["10.0.0.1"]);
      await before.reconcile(before.cluster.put(FirewallRule, rule()));
      const moved = moveUnseen(before.cluster);
      relabelCnf(before.cluster);
      const { reconcile } = start(undefined, { before });
      await reconcile(moved);
      expect(before.cnf("10.0.0.1").collections.get(rules)?.size).toBe(0);
      expect(before.cnf("10.0.0.1").requests.at(-1)).toBe("reload firewall");
    });

    it("is deleted, even if its spec changed, by any process after one whose status said that it still exists there", async () => {
      const before = start(["10.0.0.1"]);
      await before.reconcile(before.cluster.put(FirewallRule, rule()));
      const moved = moveUnseen(before.cluster);
      before.cnf("10.0.0.1").fail = () => new Error("no route");
      await before.reconcile(moved);
      const waiting = before.cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
      expect(waiting.status).toMatchObject({ state: "Trying to apply", appliedPurpose: "edge7" });
      expect(waiting.status?.appliedGeneration).toBeUndefined();
      const { resourceVersion } = waiting.metadata;
      await before.reconcile(moved);
      expect(before.cluster.peek(FirewallRule, "default/a")?.metadata.resourceVersion).toBe(resourceVersion);

      before.cnf("10.0.0.1").fail = () => undefined;
      before.cluster.put(FirewallRule, { ...waiting, spec: { target: "ACCEPT" } });
      relabelCnf(before.cluster);
      await start(undefined, { before }).reconcile(moved);
      expect(before.cnf("10.0.0.1").collections.get(rules)?.size).toBe(0);
    });
  });

  it("triggers younger resources whose name it takes", async () => {
    const { cluster, reconcile, waitingRules } = start(["10.0.0.1"]);
    const called: string[] = [];
    waitingRules.subscribe("FirewallRule", (key) => called.push(key), new AbortController().signal);
    const older = { ...metadata, uid: "older", creationTimestamp: "2026-01-01T00:00:00Z", labels: {} };
    const younger = { ...metadata, uid: "younger", namespace: "other", creationTimestamp: "2026-01-02T00:00:00Z" };
    const displaced = cluster.put(FirewallRule, { metadata: younger, spec: { target: "ACCEPT" } });
    await reconcile(displaced);
    expect(cluster.peek(FirewallRule, "other/a")?.status?.state).toBe("In Sync");
    await reconcile(cluster.put(FirewallRule, { ...rule(), metadata: { ...older, labels: metadata.labels } }));
    expect(called).toContain("other/a");
    await reconcile(displaced);
    expect(cluster.peek(FirewallRule, "other/a")?.status?.message).toContain("which is older");
  });
});

it("deletes its object on pods with another purpose once no rule with that purpose has the same name", async () => {
  const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
  const held = () => [...(cnf("10.0.0.1").collections.get("firewall/v1/rules")?.keys() ?? [])];
  const left = cluster.put(FirewallRule, rule());
  await reconcile(left);
  const deployment = cluster.peek(Deployment, "cnfs/edge7") ?? expect.unreachable();
  const labels = { sdewanPurpose: "hub" };
  cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, labels } });
  cluster.put(FirewallRule, { ...rule(), metadata: { ...metadata, namespace: "other", labels } });
  expect(await reconcile(left)).toEqual({ requeueAfterMs: 60_000 });
  expect(held()).toEqual(["a"]);
  cluster.remove(FirewallRule, "other/a");
  expect(await reconcile(left)).toBeUndefined();
  expect(held()).toEqual([]);
});
