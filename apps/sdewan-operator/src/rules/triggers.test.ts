import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { Deployment, Pod, Secret } from "@kubewright/client/kinds";
import type { EventHandler, Predicate } from "@kubewright/controller";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { CNFRouteRule } from "../api/cnf-route-rule.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { orderAnnotation } from "../api/group.ts";
import { SdewanApplication } from "../api/sdewan-application.ts";
import { ownNamespace } from "../cnf/cnf-scope.ts";
import { cnfRouteRule } from "../kinds/cnf-route-rule.ts";
import { firewallRule } from "../kinds/firewall-rules.ts";
import { sdewanApplication } from "../kinds/sdewan-application.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf, putPod } from "../testing/fixtures.ts";
import { rulesSelecting } from "./application-pods.ts";
import {
  applicationPodMatters,
  cnfPodMatters,
  deploymentMatters,
  ruleMatters,
  rulesOfPod,
  rulesOfSamePurpose,
  rulesOfSecret,
} from "./triggers.ts";

function start() {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const peek = {
    pod: () => found(cluster.peek(Pod, "cnfs/edge7-0")),
    deployment: () => found(cluster.peek(Deployment, "cnfs/edge7")),
  };
  const inOrder = async <T extends KubeObject>(handler: EventHandler<T>, object: DeepReadonly<T>) => {
    const keys: string[] = [];
    const context = { client: cluster.client, log: silentLogger, signal: new AbortController().signal };
    await handler({ type: "create", object }, (key) => keys.push(key), context);
    return keys;
  };
  const enqueued = async <T extends KubeObject>(handler: EventHandler<T>, object: DeepReadonly<T>) =>
    (await inOrder(handler, object)).sort();
  return { cluster, peek, enqueued, inOrder };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("not there");
  return structuredClone(value);
}

/** Reports whether a predicate passes an update with this change. */
function passes<T extends KubeObject>(predicate: Predicate<T>, object: T, change: (draft: T) => void): boolean {
  const changed = structuredClone(object);
  change(changed);
  return predicate({ type: "update", old: object as DeepReadonly<T>, object: changed as DeepReadonly<T> });
}

const labels = { sdewanPurpose: "edge7" };

describe("the trigger of a reconcile", () => {
  it("is a rule that loses a finalizer, unless it is being deleted", () => {
    const metadata = { name: "a", generation: 1, finalizers: ["ours", "theirs"] };
    const rule: FirewallRule = { apiVersion: "", kind: "", metadata, spec: {} };
    const loses = (object: FirewallRule, finalizers?: string[]) =>
      passes<KubeObject>(ruleMatters, object, ({ metadata: changed }) => {
        if (finalizers) changed.finalizers = finalizers;
        else delete changed.finalizers;
      });
    expect(loses(rule, ["theirs"])).toBe(true);
    expect(loses(rule)).toBe(true);
    expect(loses(rule, ["theirs", "ours", "another"])).toBe(false);
    const deleted = { ...rule, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(loses(deleted, ["theirs"])).toBe(false);
  });

  it("is a rule's generation, deletion or purpose, not its status, annotations or added finalizers", () => {
    const rule: FirewallRule = { apiVersion: "", kind: "", metadata: { name: "a", generation: 1 }, spec: {} };
    expect(passes<KubeObject>(ruleMatters, rule, ({ metadata }) => (metadata.generation = 2))).toBe(true);
    expect(passes<KubeObject>(ruleMatters, rule, ({ metadata }) => (metadata.labels = labels))).toBe(true);
    expect(passes<KubeObject>(ruleMatters, rule, ({ metadata }) => (metadata.uid = "successor"))).toBe(true);
    expect(passes<KubeObject>(ruleMatters, rule, ({ metadata }) => (metadata.finalizers = ["x"]))).toBe(false);
    expect(passes<KubeObject>(ruleMatters, rule, ({ metadata }) => (metadata.annotations = { a: "b" }))).toBe(false);
  });

  it("is a rule's order", () => {
    const rule: FirewallRule = { apiVersion: "", kind: "", metadata: { name: "a", generation: 1 }, spec: {} };
    const reordered = passes<KubeObject>(ruleMatters, rule, ({ metadata }) => {
      metadata.annotations = { [orderAnnotation]: "5" };
    });
    expect(reordered).toBe(true);
  });

  it("is a Deployment's availability, networks or purpose, for a CNF only", () => {
    const deployment = start().peek.deployment();
    const matters = (change: (draft: Deployment) => void) => passes(deploymentMatters, deployment, change);
    expect(matters((draft) => (draft.status = { availableReplicas: 1 }))).toBe(true);
    expect(matters((draft) => (draft.status = { observedGeneration: 2 }))).toBe(false);
    expect(matters((draft) => (draft.metadata.labels = {}))).toBe(true);
    expect(matters((draft) => (draft.metadata.uid = "successor"))).toBe(true);
    expect(deploymentMatters({ type: "create", object: { ...deployment, metadata: { name: "web" } } })).toBe(false);
  });

  it("is a CNF pod's readiness, address or restarted container, even without another sign", () => {
    const { cluster, peek } = start();
    const before = peek.pod();
    putPod(cluster, "edge7", 0, "10.0.0.1", 1);
    const matters = (object: Pod) => cnfPodMatters({ type: "update", old: before, object });
    expect(matters(peek.pod())).toBe(true);
    expect(matters({ ...before, metadata: { ...before.metadata, resourceVersion: "99" } })).toBe(false);
    expect(matters({ ...before, status: { ...before.status, conditions: [] } })).toBe(true);
    expect(applicationPodMatters({ type: "update", old: before, object: peek.pod() })).toBe(false);
  });
});

describe("the resources that a trigger reconciles", () => {
  it("are the rules of the CNF's purpose in all namespaces", async () => {
    const { cluster, peek, enqueued } = start();
    cluster.put(FirewallRule, { metadata: { name: "a", namespace: "one", labels }, spec: {} });
    cluster.put(FirewallRule, { metadata: { name: "b", namespace: "two", labels }, spec: {} });
    cluster.put(FirewallRule, {
      metadata: { name: "c", namespace: "two", labels: { sdewanPurpose: "other" } },
      spec: {},
    });
    expect(await enqueued(rulesOfSamePurpose(firewallRule), peek.deployment())).toEqual(["one/a", "two/b"]);
    expect(await enqueued(rulesOfSecret(firewallRule), found(cluster.peek(Secret, "cnfs/account")))).toEqual([
      "one/a",
      "two/b",
    ]);
  });

  it("come in the order in which the CNF must have them, those with a malformed order last", async () => {
    const { cluster, peek, inOrder } = start();
    const put = (kind: typeof FirewallRule | typeof CNFRouteRule, name: string, order: string): void => {
      const annotations = { [orderAnnotation]: order };
      cluster.put<KubeObject>(kind, { metadata: { name, namespace: "one", labels, annotations } });
    };
    for (const [name, order] of [
      ["a", "2"],
      ["b", "wrong"],
      ["c", "-1"],
      ["d", "10"],
    ] as const) {
      put(FirewallRule, name, order);
      put(CNFRouteRule, name, order);
    }
    const keys = (names: string): string[] => [...names].map((name) => `one/${name}`);
    expect(await inOrder(rulesOfSamePurpose(firewallRule), peek.deployment())).toEqual(keys("cadb"));
    expect(await inOrder(rulesOfSamePurpose(cnfRouteRule), peek.deployment())).toEqual(keys("dacb"));
  });

  it("are, for a pod, also the rules for the current purpose of its Deployment", async () => {
    const { cluster, peek, enqueued } = start();
    cluster.put(FirewallRule, { metadata: { name: "a", namespace: "one", labels }, spec: {} });
    const other = { sdewanPurpose: "hub" };
    cluster.put(FirewallRule, { metadata: { name: "b", namespace: "one", labels: other }, spec: {} });
    expect(await enqueued(rulesOfPod(firewallRule), peek.pod())).toEqual(["one/a"]);
    const deployment = peek.deployment();
    cluster.put(Deployment, { ...deployment, metadata: { ...deployment.metadata, labels: other } });
    expect(await enqueued(rulesOfPod(firewallRule), peek.pod())).toEqual(["one/a", "one/b"]);
    expect(await enqueued(rulesOfPod(firewallRule, ownNamespace), peek.pod())).toEqual([]);
  });

  it("are found without scanning all pods and all rules", async () => {
    const { cluster, enqueued } = start();
    const requests: unknown[] = [];
    const { client } = cluster;
    const counting = {
      ...client,
      list: ((kind, options) => {
        requests.push([kind.kind, Object.keys(options?.fields ?? {})]);
        return client.list(kind, options);
      }) as typeof client.list,
    };
    Object.defineProperty(cluster, "client", { get: () => counting });
    await enqueued(rulesOfSecret(firewallRule), found(cluster.peek(Secret, "cnfs/account")));
    expect(requests).toEqual([
      ["Pod", ["kubewright.dev/secret"]],
      ["FirewallRule", ["kubewright.dev/purpose"]],
    ]);
  });

  it("do not include rules that may not configure the CNF", async () => {
    const { cluster, peek, enqueued } = start();
    cluster.put(FirewallRule, { metadata: { name: "a", namespace: "one", labels }, spec: {} });
    cluster.put(FirewallRule, { metadata: { name: "b", namespace: "cnfs", labels }, spec: {} });
    expect(await enqueued(rulesOfSamePurpose(firewallRule, ownNamespace), peek.deployment())).toEqual(["cnfs/b"]);
  });

  it("are the applications that select a pod", async () => {
    const { cluster, enqueued } = start();
    const put = (name: string, spec: NonNullable<SdewanApplication["spec"]>) =>
      cluster.put(SdewanApplication, { metadata: { name, namespace: "default" }, spec });
    const podSelector = { matchLabels: { app: "shop" } };
    put("a", { podSelector, appNamespace: "apps" });
    put("b", { podSelector });
    put("c", { podSelector, appNamespace: "elsewhere" });
    put("d", {});
    const pod = cluster.put(Pod, { metadata: { name: "p", namespace: "apps", labels: { app: "shop" } } });
    expect(await enqueued(rulesSelecting(sdewanApplication), pod)).toEqual(["default/a", "default/b"]);
  });
});
