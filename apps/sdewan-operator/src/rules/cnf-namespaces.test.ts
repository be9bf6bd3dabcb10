import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { OpenWrtError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { appliedPurposeAnnotation } from "../api/group.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import type { FakeCluster } from "../testing/fake-cluster.ts";
import type { FakeCnf } from "../testing/fake-cnf.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { putCnf } from "../testing/fixtures.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";

const rules = "firewall/v1/rules";
const finalizers = ["rule.finalizers.sdewan.akraino.org"];
const host: IpsecHost["spec"] = {
  remote: "10.0.0.9",
  authentication_method: "psk",
  pre_shared_key: "only-between-us",
  crypto_proposal: ["p"],
  connections: [{ name: "c", conn_type: "tunnel", mode: "start" }],
};
const held = (cnf: FakeCnf): string[] => [...(cnf.collections.get(rules)?.keys() ?? [])];
const statusOf = (cluster: FakeCluster, key = "default/a") => cluster.peek(FirewallRule, key)?.status;

describe("a resource", () => {
  it("gets no access to a CNF of another namespace, and its status names the flag", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"], { cnfNamespaces: "same" });
    expect(await reconcile(cluster.put(IpsecHost, { metadata, spec: host }))).toBeUndefined();
    const stored = cluster.peek(IpsecHost, "default/a");
    expect(fieldsOf(stored?.status)).toEqual({
      state: "Idle",
      message:
        "No CNF that this resource may configure has the purpose edge7: --cnf-namespaces=same allows a resource to configure only CNFs in its own namespace",
    });
    expect(stored?.metadata.finalizers).toBeUndefined();
    expect(cnf("10.0.0.1").requests).toEqual([]);
  });

  it.each(["*", "cnfs", "other,cnfs"])("may configure a CNF elsewhere with %s", async (cnfNamespaces) => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"], { cnfNamespaces });
    await reconcile(cluster.put(FirewallRule, { metadata, spec: {} }));
    expect(held(cnf("10.0.0.1"))).toEqual(["a"]);
  });

  it("keeps the CNF of its namespace even if others claim the purpose, and uses no other CNF after it was deleted", async () => {
    const { cluster, reconcile, cnf } = start(undefined, { cnfNamespaces: "same" });
    putCnf(cluster, "edge7", ["10.0.0.1"], {}, "default");
    const object = cluster.put(FirewallRule, { metadata, spec: {} });
    await reconcile(object);
    cluster.put(Deployment, { metadata: { name: "thief", namespace: "attacker", labels: metadata.labels } });
    await reconcile(object);
    expect(statusOf(cluster)?.state).toBe("In Sync");
    cluster.remove(Deployment, "default/edge7");
    cluster.remove(ReplicaSet, "default/edge7-new");
    cluster.remove(Pod, "default/edge7-0");
    await reconcile(object);
    expect(statusOf(cluster)).toMatchObject({
      state: "Idle",
      message: expect.stringContaining("--cnf-namespaces=same"),
    });
    expect(cnf("10.0.0.1").requests).toContain(`POST ${rules} a`);
  });

  it("has no rivals in namespaces that may not configure its CNF", async () => {
    const { cluster, reconcile, cnf } = start(undefined, { cnfNamespaces: "same" });
    putCnf(cluster, "edge7", ["10.0.0.1"], {}, "default");
    cluster.put(FirewallRule, {
      metadata: { ...metadata, namespace: "attacker", uid: "x", creationTimestamp: "2020-01-01T00:00:00Z" },
      spec: {},
    });
    await reconcile(cluster.put(FirewallRule, { metadata: { ...metadata, uid: "y" }, spec: {} }));
    expect(held(cnf("10.0.0.1"))).toEqual(["a"]);
  });
});

describe("a forged annotation with a former CNF", () => {
  const forged = { ...metadata, finalizers, annotations: { [appliedPurposeAnnotation]: "victim" } };
  const startWithVictim = (cnfNamespaces: string, stored: Record<string, string>) => {
    const all = start(undefined, { cnfNamespaces });
    putCnf(all.cluster, "edge7", ["10.0.0.1"], {}, "default");
    putCnf(all.cluster, "victim", ["10.0.0.2"]);
    all.cnf("10.0.0.2").collections.set(rules, new Map([["a", { name: "a", ...stored }]]));
    return all;
  };

  it("deletes nothing on a CNF that is out of scope", async () => {
    const { cluster, reconcile, cnf } = startWithVictim("same", { target: "DROP" });
    const object = cluster.put(FirewallRule, { metadata: forged, spec: { target: "DROP" } });
    await reconcile(object);
    await reconcile(object);
    expect(cnf("10.0.0.2").requests).toEqual([]);
    expect(statusOf(cluster)?.state).toBe("In Sync");
  });

  it.each([
    ["its own rule", "DROP"],
    ["another rule", "ACCEPT"],
  ])("deletes on a CNF in scope only the object that the resource wants: %s", async (_what, target) => {
    const { cluster, reconcile, cnf } = startWithVictim("*", { target });
    const object = cluster.put(FirewallRule, { metadata: forged, spec: { target: "DROP" } });
    await reconcile(object);
    await reconcile(object);
    expect(held(cnf("10.0.0.2"))).toEqual(target === "DROP" ? [] : ["a"]);
    expect(statusOf(cluster)?.state).toBe("In Sync");
  });

  it.each([
    ["the object that the resource describes", "DROP", [], []],
    ["nothing else", "ACCEPT", [], ["a"]],
    ["nothing that belongs to a resource of the former purpose", "DROP", ["victim"], ["a"]],
    ["nothing that belongs to a resource of the new purpose", "DROP", ["next"], ["a"]],
  ])("deletes on pods that now belong to another CNF: %s", async (_what, target, owners, left) => {
    const { cluster, reconcile, cnf } = startWithVictim("*", { target });
    const deployment = cluster.peek(Deployment, "cnfs/victim");
    if (!deployment) throw new Error("not there");
    const labels = { sdewanPurpose: "next" };
    cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, labels } });
    for (const purpose of owners)
      cluster.put(FirewallRule, {
        metadata: {
          ...metadata,
          namespace: "other",
          uid: purpose,
          labels: { sdewanPurpose: purpose },
          finalizers,
          annotations: { [appliedPurposeAnnotation]: purpose },
        },
        spec: { target: "DROP" },
      });
    const object = cluster.put(FirewallRule, { metadata: forged, spec: { target: "DROP" } });
    await reconcile(object);
    await reconcile(object);
    expect(held(cnf("10.0.0.2"))).toEqual(left);
    expect(statusOf(cluster)?.state).toBe("In Sync");
  });

  it("does not hide from this process where it applied the resource itself", async () => {
    const { cluster, reconcile, cnf } = startWithVictim("*", { target: "ACCEPT" });
    await reconcile(cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } }));
    const applied = cluster.peek(FirewallRule, "default/a");
    if (!applied) throw new Error("not there");
    const moved = cluster.put(FirewallRule, {
      ...applied,
      metadata: { ...applied.metadata, labels: {}, annotations: { [appliedPurposeAnnotation]: "victim" } },
    });
    await reconcile(moved);
    expect([held(cnf("10.0.0.1")), held(cnf("10.0.0.2"))]).toEqual([[], ["a"]]);
  });
});

describe("a Deployment whose label changes", () => {
  const relabel = (cluster: FakeCluster, purpose: string | undefined): void => {
    const deployment = cluster.peek(Deployment, "cnfs/edge7");
    if (!deployment) throw new Error("not there");
    const labels = purpose === undefined ? {} : { sdewanPurpose: purpose };
    cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, labels } });
  };

  it.each(["hub", undefined])("to %s loses the objects of its former purpose", async (purpose) => {
    const { cluster, reconcile, cnf, cnfs } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, { metadata, spec: {} });
    await reconcile(object);
    relabel(cluster, purpose);
    await start(undefined, { before: { cluster, cnfs } }).reconcile(object); // another process than the one that wrote it
    expect(held(cnf("10.0.0.1"))).toEqual([]);
    expect(cnf("10.0.0.1").requests.at(-1)).toBe("reload firewall");
    expect(statusOf(cluster)).toMatchObject({ state: "Idle", message: "No CNF has the purpose edge7" });
    expect(await reconcile(object)).toBeUndefined();
  });

  it("keeps objects that a resource of its new purpose has under the same name", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } });
    await reconcile(object);
    relabel(cluster, "hub");
    const successor = { ...metadata, namespace: "other", uid: "heir", labels: { sdewanPurpose: "hub" } };
    await reconcile(cluster.put(FirewallRule, { metadata: successor, spec: { target: "ACCEPT" } }));
    await reconcile(object);
    expect(cnf("10.0.0.1").collections.get(rules)?.get("a")).toMatchObject({ target: "ACCEPT" });
  });

  it("keeps the objects of a resource that changes its label as well", async () => {
    const { cluster, reconcile, cnf, cnfs } = start(["10.0.0.1"]);
    await reconcile(cluster.put(FirewallRule, { metadata, spec: {} }));
    const { reconcile: next } = start(undefined, { before: { cluster, cnfs } });
    const applied = cluster.peek(FirewallRule, "default/a");
    if (!applied) throw new Error("not there");
    relabel(cluster, "hub");
    const requests = cnf("10.0.0.1").requests.length;
    const labels = { sdewanPurpose: "hub" };
    await next(cluster.put(FirewallRule, { ...applied, metadata: { ...applied.metadata, labels } }));
    expect(held(cnf("10.0.0.1"))).toEqual(["a"]);
    expect(
      cnf("10.0.0.1")
        .requests.slice(requests)
        .filter((each) => /^delete/i.test(each)),
    ).toEqual([]);
  });

  it("loses them also if another CNF now has the purpose", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, { metadata, spec: {} });
    await reconcile(object);
    relabel(cluster, "hub");
    putCnf(cluster, "edge7", ["10.0.0.2"], {}, "next");
    await reconcile(object);
    expect([held(cnf("10.0.0.1")), held(cnf("10.0.0.2"))]).toEqual([[], ["a"]]);
  });
});

describe("pods that a deleted Deployment left behind", () => {
  const orphan = (cluster: FakeCluster): void => {
    cluster.remove(Deployment, "cnfs/edge7");
    const replicaSet = cluster.peek(ReplicaSet, "cnfs/edge7-new");
    if (!replicaSet) throw new Error("not there");
    cluster.put(ReplicaSet, { ...replicaSet, metadata: { ...replicaSet.metadata, ownerReferences: [] } });
  };

  it("keep their objects, with a note in the status, until the resources are deleted", async () => {
    const { cluster, reconcile, cnf, cnfs } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, { metadata, spec: {} });
    await reconcile(object);
    orphan(cluster);
    await reconcile(object);
    expect(held(cnf("10.0.0.1"))).toEqual(["a"]);
    expect(statusOf(cluster)).toMatchObject({
      state: "Idle",
      message: "No CNF has the purpose edge7; pods of a deleted Deployment still have the object: cnfs/edge7-0",
    });
    const idle = cluster.peek(FirewallRule, "default/a");
    if (!idle) throw new Error("not there");
    cluster.put(FirewallRule, { ...idle, metadata: { ...idle.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } });
    await start(undefined, { before: { cluster, cnfs } }).reconcile(object);
    expect(held(cnf("10.0.0.1"))).toEqual([]);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });

  it("get no further changes, so an object still in use there remains until its user is deleted, in either order", async () => {
    const { cluster, reconcile, cnf, cnfs } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, { metadata, spec: { target: "DROP" } });
    await reconcile(object);
    orphan(cluster);
    const edited = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    const spec = { target: "ACCEPT" as const };
    await reconcile(cluster.put(FirewallRule, { ...edited, metadata: { ...edited.metadata, generation: 2 }, spec }));
    expect(cnf("10.0.0.1").collections.get(rules)?.get("a")).toMatchObject({ target: "DROP" });
    const used = new OpenWrtError(400, '{"message":"a is used"}');
    cnf("10.0.0.1").fail = (request) => (request === `DELETE ${rules}/a` ? used : undefined);
    const idle = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    const going = { ...idle, metadata: { ...idle.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } };
    const { reconcile: next } = start(undefined, { before: { cluster, cnfs } });
    expect(await next(cluster.put(FirewallRule, going))).toEqual({ requeueAfterMs: 5_000 });
    expect(statusOf(cluster)).toMatchObject({
      state: "Being delete",
      message:
        "cnfs/edge7-0, whose Deployment was deleted (delete the pod if it is not needed): " +
        'Error Code: 400, Error Message: {"message":"a is used"}',
    });
    cnf("10.0.0.1").fail = () => undefined;
    await next(going);
    expect(held(cnf("10.0.0.1"))).toEqual([]);
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
  });

  it("are ignored if they are deleted together with their Deployment", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, { metadata, spec: {} });
    await reconcile(object);
    cluster.remove(Deployment, "cnfs/edge7");
    cnf("10.0.0.1").requests.length = 0;
    await reconcile(object);
    expect(statusOf(cluster)).toMatchObject({ state: "Idle", message: "No CNF has the purpose edge7" });
    expect(cnf("10.0.0.1").requests).toEqual([]);
  });
});
