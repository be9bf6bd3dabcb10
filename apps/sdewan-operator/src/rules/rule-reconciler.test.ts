import { OpenWrtError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { FirewallDNAT, FirewallSNAT } from "../api/firewall/firewall-nat.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { sentHashAnnotation } from "../api/group.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { SdewanApplication } from "../api/sdewan-application.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { fieldsOf } from "../testing/fields-of.ts";
import { putPod } from "../testing/fixtures.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";

const rule = (spec: FirewallRule["spec"] = { target: "DROP" }) => ({ metadata, spec });

describe("RuleReconciler", () => {
  it("reports Idle and sends nothing while the purpose has no CNF", async () => {
    const { cluster, reconcile } = start();
    const object = cluster.put(FirewallRule, rule());
    expect(await reconcile(object)).toBeUndefined();
    const stored = cluster.peek(FirewallRule, "default/a");
    expect(fieldsOf(stored?.status)).toEqual({ state: "Idle", message: "No CNF has the purpose edge7" });
    expect(stored?.metadata.finalizers).toBeUndefined();
  });

  it("writes the object, restarts the service and reports In Sync with generation and time", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    await reconcile(cluster.put(FirewallRule, rule()));
    expect(cnf("10.0.0.1").requests).toEqual(["GET firewall/v1/rules", "POST firewall/v1/rules a", "reload firewall"]);
    const stored = cluster.peek(FirewallRule, "default/a");
    expect(stored?.metadata.finalizers).toEqual(["rule.finalizers.sdewan.akraino.org"]);
    expect(stored?.status).toMatchObject({ state: "In Sync", appliedGeneration: 1 });
    expect(stored?.status?.appliedTime).toMatch(/^2026-01-01T00:00:0\dZ$/);
    expect(stored?.spec).toEqual({ target: "DROP" });
  });

  it("only reads if nothing changed, and writes no status", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, rule());
    await reconcile(object);
    const before = cluster.peek(FirewallRule, "default/a")?.metadata.resourceVersion;
    cnf("10.0.0.1").requests.length = 0;
    await reconcile(object);
    expect(cnf("10.0.0.1").requests).toEqual(["GET firewall/v1/rules"]);
    expect(cluster.peek(FirewallRule, "default/a")?.metadata.resourceVersion).toBe(before);
  });

  it("restores its finalizer without writing to the CNF again", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, rule());
    await reconcile(object);
    const stored = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    cluster.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, finalizers: ["theirs"] } });
    cnf("10.0.0.1").requests.length = 0;
    await reconcile(object);
    expect(cluster.peek(FirewallRule, "default/a")?.metadata.finalizers).toEqual([
      "theirs",
      "rule.finalizers.sdewan.akraino.org",
    ]);
    expect(cnf("10.0.0.1").requests).toEqual(["GET firewall/v1/rules"]);
  });

  it("restarts the service of a pod that started again between a write and its restart", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, rule());
    await reconcile(object);
    cnf("10.0.0.1").collections.clear();
    putPod(cluster, "edge7", 0, "10.0.0.1", 1);
    cnf("10.0.0.1").fail = (request) => {
      if (request !== "reload firewall") return undefined;
      putPod(cluster, "edge7", 0, "10.0.0.1", 2);
      return new Error("The CNF pod was restarted");
    };
    await reconcile(object);
    expect(cluster.peek(FirewallRule, "default/a")?.status?.state).toBe("In Sync");
    cnf("10.0.0.1").fail = () => undefined;
    cnf("10.0.0.1").requests.length = 0;
    await reconcile(object);
    expect(cnf("10.0.0.1").requests).toEqual(["GET firewall/v1/rules", "reload firewall"]);
  });

  it("keeps the data of the last success after a failure, and retries later", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, rule());
    await reconcile(object);
    const applied = cluster.peek(FirewallRule, "default/a");
    if (applied)
      cluster.put(FirewallRule, {
        ...applied,
        spec: { target: "REJECT" },
        metadata: { ...applied.metadata, generation: 2 },
      });
    cnf("10.0.0.1").fail = (request) => (request.startsWith("PUT") ? new OpenWrtError(400, "no zone") : undefined);
    expect(await reconcile(object)).toEqual({ requeueAfterMs: 1_000 });
    expect(await reconcile(object)).toEqual({ requeueAfterMs: 2_000 });
    const failed = cluster.peek(FirewallRule, "default/a")?.status;
    expect(failed).toMatchObject({ state: "Trying to apply", appliedGeneration: 1 });
    expect(failed?.message).toBe("Error Code: 400, Error Message: no zone");
    cnf("10.0.0.1").fail = () => undefined;
    await reconcile(object);
    const healed = cluster.peek(FirewallRule, "default/a")?.status;
    expect(healed).toMatchObject({ state: "In Sync", appliedGeneration: 2 });
    expect(healed).not.toHaveProperty("message");
  });

  it("tries every pod, and names the one that failed", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1", "10.0.0.2", undefined]);
    cnf("10.0.0.1").fail = () => new OpenWrtError(500, "broken");
    await reconcile(cluster.put(FirewallRule, rule()));
    expect(cnf("10.0.0.2").requests).toContain("POST firewall/v1/rules a");
    expect(cluster.peek(FirewallRule, "default/a")?.status?.message).toBe(
      "edge7-0: Error Code: 500, Error Message: broken; edge7-2: The target pod doesn't have an IP address",
    );
  });

  it("writes everything again to a restarted container", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, rule());
    await reconcile(object);
    cnf("10.0.0.1").collections.get("firewall/v1/rules")?.clear();
    putPod(cluster, "edge7", 0, "10.0.0.1", 1);
    await reconcile(object);
    expect(cnf("10.0.0.1").requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
  });

  it("deletes the object on the CNF before it removes the finalizer", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const object = cluster.put(FirewallRule, rule());
    await reconcile(object);
    const applied = cluster.peek(FirewallRule, "default/a");
    if (!applied) throw new Error("not there");
    cluster.put(FirewallRule, {
      ...applied,
      metadata: { ...applied.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" },
    });
    cnf("10.0.0.1").fail = (request) => (request.startsWith("DELETE") ? new OpenWrtError(400, "is used") : undefined);
    expect(await reconcile(object)).toEqual({ requeueAfterMs: 5_000 });
    expect(cluster.peek(FirewallRule, "default/a")?.status?.state).toBe("Being delete");
    cnf("10.0.0.1").fail = () => undefined;
    expect(await reconcile(object)).toBeUndefined();
    expect(cluster.peek(FirewallRule, "default/a")).toBeUndefined();
    expect(cnf("10.0.0.1").collections.get("firewall/v1/rules")?.size).toBe(0);
  });

  it("does not write an object again whose rule a former process has released, if the cache is outdated", async () => {
    const former = start(["10.0.0.1"]);
    const object = former.cluster.put(FirewallRule, rule());
    await former.reconcile(object);
    const live = new FakeCluster();
    const { reconcile, cnf } = start(undefined, { before: former, live });
    const objects = cnf("10.0.0.1").collections.get("firewall/v1/rules");
    objects?.delete("a"); // by the former process
    cnf("10.0.0.1").requests.length = 0;
    expect(await reconcile(object)).toEqual({ requeue: true });
    expect(cnf("10.0.0.1").requests).toEqual(["GET firewall/v1/rules"]);
    expect(former.cluster.peek(FirewallRule, "default/a")?.status?.state).toBe("In Sync");

    const stored = former.cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
    const { generation = 1 } = stored.metadata;
    live.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, generation: generation + 1 } });
    expect(await reconcile(object)).toEqual({ requeue: true });
    live.put(FirewallRule, { ...stored, metadata: { ...stored.metadata, uid: "of-another" } });
    expect(await reconcile(object)).toEqual({ requeue: true });
    expect(objects?.has("a")).toBe(false);

    live.put(FirewallRule, stored);
    expect(await reconcile(object)).toBeUndefined();
    expect(objects?.has("a")).toBe(true);
    live.remove(FirewallRule, "default/a");
    objects?.delete("a"); // by somebody else: this process alone releases the rule from now on
    await reconcile(object);
    expect(objects?.has("a")).toBe(true);
  });

  it("writes the other objects of a batch in which one is outdated", async () => {
    const former = start(["10.0.0.1"]);
    const object = former.cluster.put(FirewallRule, rule());
    await former.reconcile(object);
    const live = new FakeCluster();
    const { reconcile, begin, cnf } = start(undefined, { before: former, live });
    const objects = cnf("10.0.0.1").collections.get("firewall/v1/rules");
    objects?.delete("a");
    const other = former.cluster.put(FirewallRule, { ...rule(), metadata: { ...metadata, name: "b" } });
    const outdated = begin(object);
    expect(await reconcile(other)).toBeUndefined();
    expect(await outdated).toEqual({ requeue: true });
    expect([objects?.has("a"), objects?.has("b")]).toEqual([false, true]);
  });

  it("removes the finalizer immediately if the CNF was deleted", async () => {
    const { cluster, reconcile } = start();
    const finalizers = ["rule.finalizers.sdewan.akraino.org", "other.example.com/x"];
    const object = cluster.put(FirewallRule, {
      ...rule(),
      metadata: { ...metadata, finalizers, deletionTimestamp: "2026-01-01T00:00:09Z" },
    });
    await reconcile(object);
    expect(cluster.peek(FirewallRule, "default/a")?.metadata.finalizers).toEqual(["other.example.com/x"]);
  });

  it("refuses the younger of two objects that would share a name on the CNF, also across kinds", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const older = cluster.put(FirewallSNAT, { metadata: { ...metadata, uid: "1" }, spec: {} });
    const younger = cluster.put(FirewallDNAT, {
      metadata: { ...metadata, uid: "2", creationTimestamp: "2026-01-01T00:00:05Z" },
      spec: {},
    });
    await reconcile(younger);
    await reconcile(older);
    expect(fieldsOf(cluster.peek(FirewallDNAT, "default/a")?.status)).toEqual({
      state: "Trying to apply",
      message: "The name a on the CNF belongs to FirewallSNAT default/a, which is older",
    });
    expect(cluster.peek(FirewallDNAT, "default/a")?.metadata.finalizers).toBeUndefined();
    expect(cnf("10.0.0.1").requests.filter((request) => request.startsWith("POST"))).toHaveLength(1);
  });

  it.each([
    ["b", "c"],
    ["c", "b"],
  ])("names the oldest of several claims to a name, in any order of the list", async (first, second) => {
    const { cluster, reconcile } = start(["10.0.0.1"]);
    for (const namespace of [first, second]) {
      const creationTimestamp = namespace === "c" ? "2026-01-01T00:00:01Z" : "2026-01-01T00:00:02Z";
      const conflict = { ...metadata, namespace, uid: namespace, creationTimestamp };
      cluster.put(FirewallDNAT, { metadata: conflict, spec: {} });
    }
    const young = { ...metadata, uid: "young", creationTimestamp: "2026-01-01T00:00:09Z" };
    await reconcile(cluster.put(FirewallSNAT, { metadata: young, spec: {} }));
    expect(cluster.peek(FirewallSNAT, "default/a")?.status?.message).toBe(
      "The name a on the CNF belongs to FirewallDNAT c/a, which is older",
    );
  });

  it("reports Unknown status while two Deployments claim the purpose", async () => {
    const { cluster, reconcile } = start(["10.0.0.1"]);
    const { Deployment } = await import("@kubewright/client/kinds");
    const one = cluster.peek(Deployment, "cnfs/edge7");
    if (one) cluster.put(Deployment, { ...one, metadata: { ...one.metadata, name: "twin" } });
    await reconcile(cluster.put(FirewallRule, rule()));
    expect(fieldsOf(cluster.peek(FirewallRule, "default/a")?.status)).toEqual({
      state: "Unknown status",
      message: "More than one deployment exists: cnfs/edge7, cnfs/twin",
    });
  });

  it("names the network that the CNF does not have", async () => {
    const { cluster, reconcile } = start(["10.0.0.1"]);
    const members = [{ network: "elsewhere", metric: 1, weight: 1 }];
    await reconcile(cluster.put(Mwan3Policy, { metadata, spec: { members } }));
    expect(fieldsOf(cluster.peek(Mwan3Policy, "default/a")?.status)).toEqual({
      state: "Trying to apply",
      message: "No matched network in annotation: elsewhere",
    });
  });

  it("does not retry an invalid spec before it changes", async () => {
    const { cluster, reconcile } = start(["10.0.0.1"]);
    expect(await reconcile(cluster.put(SdewanApplication, { metadata, spec: {} }))).toBeUndefined();
    expect(cluster.peek(SdewanApplication, "default/a")?.status?.message).toBe("spec.podSelector: Required value");
  });

  it("hides secrets that a CNF repeats, and does not send obfuscated certificates twice", async () => {
    const { cluster, reconcile, cnf } = start(["10.0.0.1"]);
    const spec: IpsecHost["spec"] = {
      remote: "10.0.0.9",
      authentication_method: "pubkey",
      crypto_proposal: ["p"],
      connections: [],
      pre_shared_key: "hidden-key",
      local_private_cert: "cHJpdmF0ZQ==",
    };
    const object = cluster.put(IpsecHost, { metadata, spec });
    cnf("10.0.0.1").fail = (request) =>
      request.startsWith("POST") ? new OpenWrtError(400, "bad: hidden-key cHJpdmF0ZQ== hidde 68696464656e") : undefined;
    await reconcile(object);
    expect(cluster.peek(IpsecHost, "default/a")?.status?.message).toBe(
      "Error Code: 400, Error Message: not shown, because it may repeat keys",
    );
    cnf("10.0.0.1").fail = () => undefined;
    await reconcile(object);
    expect(cluster.peek(IpsecHost, "default/a")?.metadata.annotations?.[sentHashAnnotation]).toMatch(/^sha256:/);
    const stored = cnf("10.0.0.1").collections.get("ipsec/v1/remotes");
    stored?.set("a", { ...stored.get("a"), local_private_cert: "garbled" });
    putPod(cluster, "edge7", 0, "10.0.0.1", 1);
    cnf("10.0.0.1").requests.length = 0;
    await reconcile(object);
    expect(cnf("10.0.0.1").requests).toEqual(["GET ipsec/v1/remotes/a"]);
  });

  it("triggers waiting resources when the CNF changed", async () => {
    const { cluster, reconcile, cnf, waitingRules } = start(["10.0.0.1"]);
    const called: string[] = [];
    waitingRules.subscribe("FirewallRule", (key) => called.push(key), new AbortController().signal);
    cnf("10.0.0.1").fail = (request) =>
      request.startsWith("POST firewall") ? new OpenWrtError(400, "no zone") : undefined;
    await reconcile(cluster.put(FirewallRule, rule()));
    const members = [{ network: "ovn-net1", metric: 1, weight: 1 }];
    await reconcile(cluster.put(Mwan3Policy, { metadata, spec: { members } }));
    expect(called).toEqual(["default/a"]);
  });

  it("does not extend delays because others make changes in the meantime", async () => {
    const { cluster, reconcile, cnf, waitingRules } = start(["10.0.0.1"]);
    cnf("10.0.0.1").fail = (request) => (request.startsWith("POST") ? new OpenWrtError(400, "no zone") : undefined);
    const object = cluster.put(FirewallRule, rule());
    const delays: (number | undefined)[] = [];
    for (const isCalled of [false, true, true, true, false, true]) {
      if (isCalled) waitingRules.triggerAll("edge7");
      delays.push((await reconcile(object))?.requeueAfterMs);
    }
    expect(delays).toEqual([1_000, 1_000, 1_000, 1_000, 2_000, 2_000]);
  });
});
