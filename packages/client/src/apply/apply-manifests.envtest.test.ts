import { defineKind, isNotFound, type Unstructured } from "@kubewright/apimachinery";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client } from "../calls/client.ts";
import { ConfigMap, Deployment, Namespace, Secret } from "../kinds/index.ts";
import { type ApplyManifestsOptions, type ApplyResult, applyManifests } from "./apply-manifests.ts";
import type { Manifest } from "./parse-manifests.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start({});
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

const object = (kind: string, name: string, more: object = {}, metadata: object = {}): Unstructured => ({
  apiVersion: kind === "Deployment" ? "apps/v1" : "v1",
  kind,
  metadata: { name, ...metadata },
  ...more,
});
const written = (...objects: Unstructured[]): Manifest[] => objects.map((one, i) => ({ object: one, source: `${i}` }));

async function apply(manifests: readonly Manifest[], options?: ApplyManifestsOptions): Promise<ApplyResult[]> {
  const results: ApplyResult[] = [];
  for await (const result of applyManifests(client, manifests, options)) results.push(result);
  return results;
}
const linesOf = (results: readonly ApplyResult[]): string[] => results.map(({ outcome, name }) => `${outcome} ${name}`);

const Fruit = (group: string) =>
  defineKind({
    group,
    version: "v1",
    kind: "Fruit",
    scope: "Namespaced",
    spec: { type: "object", properties: { kilos: { type: "integer" } } },
  });

it("applies namespaces and definitions before the objects that need them, regardless of the order in the manifests", async () => {
  const kind = Fruit("order.example.com");
  const fruit = {
    apiVersion: "order.example.com/v1",
    kind: "Fruit",
    metadata: { name: "apple", namespace: "orchard" },
    spec: { kilos: 2 },
  };
  const crd: Unstructured = { ...kind.crd };
  const manifests = written(fruit, crd, object("Namespace", "orchard"));
  expect(linesOf(await apply(manifests))).toEqual([
    "applied namespace/orchard",
    "applied customresourcedefinition.apiextensions.k8s.io/fruits.order.example.com",
    "applied fruit.order.example.com/apple in orchard",
  ]);
  expect((await client.get(kind, "orchard/apple")).spec).toEqual({ kilos: 2 });
  const before = (await client.get(kind, "orchard/apple")).metadata.resourceVersion;
  await apply(manifests);
  expect((await client.get(kind, "orchard/apple")).metadata.resourceVersion).toBe(before);
});

it("applies the object that `before` returns, and fails with the error that it throws", async () => {
  const seen: string[] = [];
  const before = async (one: Unstructured): Promise<Unstructured> => {
    seen.push(one.metadata.name);
    if (one.metadata.name === "refused") throw new Error("not yet");
    return { ...one, data: { a: "changed" } };
  };
  const manifests = written(
    object("ConfigMap", "refused", { data: {} }),
    object("ConfigMap", "changed", { data: { a: "b" } }),
    object("Namespace", "first"),
  );
  const results = await apply(manifests, { before: async (one) => (one.kind === "Namespace" ? one : before(one)) });
  expect(seen).toEqual(["refused", "changed"]);
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["applied", undefined],
    ["failed", "not yet"],
    ["applied", undefined],
  ]);
  expect((await client.get(ConfigMap, "default/changed")).data).toEqual({ a: "changed" });
  await apply(manifests, { before, dryRun: true });
  expect(seen).toHaveLength(2);
});

it("continues if one object fails, and reports the reason", async () => {
  const bad = object("ConfigMap", "Not_A_Name");
  const unknown = { apiVersion: "nosuch.example.com/v1", kind: "Ghost", metadata: { name: "x" } };
  const results = await apply(written(bad, unknown, object("ConfigMap", "fine", { data: { a: "b" } })));
  expect(linesOf(results)).toEqual([
    "failed configmap/Not_A_Name in default",
    "applied configmap/fine in default",
    "failed ghost.nosuch.example.com/x",
  ]);
  expect(results[2]?.reason).toContain('no matches for kind "Ghost"');
});

it("explains conflicts with the owners of the fields, and takes ownership only with force", async () => {
  await client.create(
    ConfigMap,
    { metadata: { name: "shared", namespace: "default" }, data: { a: "1", b: "1" } },
    { fieldOwner: "somebody" },
  );
  const manifests = written(object("ConfigMap", "shared", { data: { a: "2", b: "2" } }));
  const [result] = await apply(manifests);
  expect(result?.outcome).toBe("failed");
  expect(result?.reason).toMatch(/"somebody" using v1.* owns \.data\.a, \.data\.b/);
  expect((await client.get(ConfigMap, "default/shared")).data).toEqual({ a: "1", b: "1" });
  expect((await apply(manifests, { force: true }))[0]?.outcome).toBe("applied");
  expect((await client.get(ConfigMap, "default/shared")).data).toEqual({ a: "2", b: "2" });
});

it("stores nothing in a dry run, and skips objects that need earlier objects of the run", async () => {
  const kind = Fruit("dry.example.com");
  const fruit = { apiVersion: "dry.example.com/v1", kind: "Fruit", metadata: { name: "pear" } };
  const inside = object("ConfigMap", "inside", {}, { namespace: "dry" });
  const results = await apply(written(object("Namespace", "dry"), { ...kind.crd }, fruit, inside), { dryRun: true });
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["applied", undefined],
    ["applied", undefined],
    ["skipped", "its namespace exists only in this dry run"],
    ["skipped", "its CRD exists only in this dry run"],
  ]);
  await expect(client.get(Namespace, "dry")).rejects.toSatisfy(isNotFound);
});

it("refuses other namespaces if only one is allowed", async () => {
  const results = await apply(written(object("ConfigMap", "x", {}, { namespace: "kube-system" })), {
    namespace: "default",
    onlyNamespace: true,
  });
  expect(results[0]?.reason).toBe('metadata.namespace: "kube-system" is not allowed; use "default"');
});

it("deletes objects that its set no longer contains, and nothing if an object failed", async () => {
  const prune = { name: "shop", namespace: "default" };
  const [a, b] = [object("ConfigMap", "set-a"), object("Secret", "set-b")];
  expect(linesOf(await apply(written(a, b), { prune }))).not.toContain("failed");
  const parent = await client.get(Secret, "default/shop");
  expect(parent.metadata.annotations).toMatchObject({
    "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Secret",
    "applyset.kubernetes.io/tooling": "kubewright/v1",
  });
  expect(parent.metadata.labels?.["applyset.kubernetes.io/id"]).toBe(
    "applyset-deGdy9cO9XA_cS6jkZBQNNHCB9v4eVtcTMJd6JKtoOg-v1",
  );

  expect(linesOf(await apply(written(a, object("ConfigMap", "Bad_Name")), { prune }))).toContain("skipped pruning");
  expect((await client.get(Secret, "default/set-b")).metadata.name).toBe("set-b");
  expect(linesOf(await apply(written(a), { prune, dryRun: true }))).toContain("pruned secret/set-b in default");
  expect((await client.get(Secret, "default/set-b")).metadata.name).toBe("set-b");

  expect(linesOf(await apply(written(a), { prune }))).toEqual([
    "applied configmap/set-a in default",
    "pruned secret/set-b in default",
  ]);
  await expect(client.get(Secret, "default/set-b")).rejects.toSatisfy(isNotFound);
  expect((await client.get(ConfigMap, "default/set-a")).metadata.name).toBe("set-a");
});

it("does not change Secrets that are not its own set", async () => {
  await client.create(Secret, { metadata: { name: "mine", namespace: "default" } });
  const prune = { name: "mine", namespace: "default" };
  await expect(apply(written(object("ConfigMap", "x")), { prune })).rejects.toThrow(
    "secret/mine in default is not an applyset; choose another name",
  );
});

it("waits until the applied objects are ready, and reports the reason if they are not", async () => {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const deployment = object("Deployment", "web", {
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  const late = await apply(written(deployment), { wait: true, timeoutMs: 300 });
  expect(late.at(-1)).toMatchObject({
    outcome: "failed",
    reason: "not ready in time: its controller has not observed it yet",
  });

  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const waiting = apply(written(deployment), { wait: true });
  await client.status.patch(Deployment, "default/web", status);
  expect(linesOf(await waiting)).toEqual([
    "applied deployment.apps/web in default",
    "ready deployment.apps/web in default",
  ]);
});
