import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Namespace, Role, RoleBinding } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { localCertificates } from "@kubewright/webhook/local";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { permissionAnnotation } from "./bucket-grant.ts";
import { ownUser } from "./operator-user.ts";
import { indexRoles } from "./role-grants.ts";
import { operatorWebhooks, webhookName } from "./webhooks.ts";

// A user with one bucket tries to access another. RBAC allows her everything on the operator's kinds, and nothing else.
const team = "team-a";
const refused = "User(eve) don't have the permission";
const users = ["eve", "operator", "system:serviceaccount:team-a:b", "system:serviceaccount:team:a:b"] as const;

let env: Environment;
const clients = new Map<string, Client>();
const as = (user: (typeof users)[number] | "admin"): Client => clients.get(user) ?? expect.unreachable();
const stop = new AbortController();
let running: Promise<void>;

const roleRef = (kind: "Role" | "ClusterRole", name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
const user = (name: string) => ({ kind: "User", name });
const grant = (buckets: Record<string, string[]>) => ({ [permissionAnnotation]: JSON.stringify(buckets) });
const rule = (name: string, bucket?: string, more: object = {}) => ({
  metadata: {
    ...{ name, namespace: team, ...more },
    labels: { sdewanPurpose: "edge", ...(bucket === undefined ? {} : { "sdewan-bucket-type": bucket }) },
  },
  spec: {},
});

beforeAll(async () => {
  env = await Environment.start({ crds: [...apiKinds], users: users.map((name) => ({ name })) });
  for (const name of [...users, "admin"]) clients.set(name, new Client({ connection: env.connection(name) }));
  const admin = as("admin");
  for (const name of [team, "team-b"]) await admin.create(Namespace, { metadata: { name } });
  const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  const ours = { apiGroups: ["batch.sdewan.akraino.org"], resources: ["*"], verbs: ["*"] };
  await admin.create(ClusterRole, {
    metadata: { name: "everything", annotations: grant({ "*": ["*"] }) },
    rules: [everything],
  });
  await admin.create(ClusterRole, { metadata: { name: "ours", annotations: grant({ "*": ["mine"] }) }, rules: [ours] });
  await admin.create(ClusterRoleBinding, {
    metadata: { name: "operator" },
    roleRef: roleRef("ClusterRole", "everything"),
    subjects: [user("operator")],
  });
  await admin.create(ClusterRoleBinding, {
    metadata: { name: "ours" },
    roleRef: roleRef("ClusterRole", "ours"),
    subjects: users.filter((name) => name !== "operator").map(user),
  });
  const manager = new Manager({
    connection: env.connection("operator"),
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    webhooks: { port: 0, host: "127.0.0.1", certificates: localCertificates({ hosts: ["127.0.0.1"] }) },
  });
  indexRoles(manager.cache);
  manager.webhooks.add(...operatorWebhooks(ownUser(manager.unfenced.apiReader)));
  running = manager.run(stop.signal);
  await vi.waitFor(() => expect(manager.webhooks.port).toBeGreaterThan(0), { timeout: 10_000 });
  const url = `https://127.0.0.1:${manager.webhooks.port}`;
  for (const object of manager.webhooks.configurations({ name: webhookName, namespace: "sdewan-system", url }))
    await admin.create(unstructured(object), object);
  const probe = () => as("eve").create(FirewallRule, rule("probe", "theirs"), { dryRun: true });
  const eventually = { timeout: 10_000, interval: 50 };
  await vi.waitFor(() => expect(probe()).rejects.toThrow("permission"), eventually);
  await vi.waitFor(() => as("eve").create(FirewallRule, rule("probe", "mine"), { dryRun: true }), eventually);
  await admin.create(FirewallRule, rule("theirs", "theirs"));
}, 60_000);
afterAll(async () => {
  stop.abort();
  await running;
  for (const client of clients.values()) await client.close();
  await env.stop();
});

const theirs = () => as("admin").get(FirewallRule, `${team}/theirs`);

describe("a user with one bucket", () => {
  it.each([
    ["a merge patch", { type: "merge" }, { spec: { target: "DROP" } }],
    ["a JSON patch", { type: "json" }, [{ op: "add", path: "/spec/target", value: "DROP" }]],
    ["a JSON patch of the label", { type: "json" }, [{ op: "remove", path: "/metadata/labels/sdewan-bucket-type" }]],
    ["a patch of all labels", { type: "merge" }, { metadata: { labels: { "sdewan-bucket-type": null, a: "b" } } }],
    ["a patch of metadata", { type: "merge" }, { metadata: { finalizers: ["a.example/b"] } }],
    [
      "an owner",
      { type: "merge" },
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "x" }] } },
    ],
    ["the pause", { type: "merge" }, { metadata: { annotations: { "kubewright.dev/paused": "true" } } }],
  ] as const)("cannot change another bucket's object by %s, with or without dry run", async (_what, options, patch) => {
    const before = await theirs();
    for (const dryRun of [true, false])
      await expect(
        as("eve").patch(FirewallRule, `${team}/theirs`, patch as object, { ...options, dryRun }),
      ).rejects.toThrow(refused);
    expect(await theirs()).toEqual(before);
  });

  it("cannot change another bucket's object by applying, even with force and any field manager", async () => {
    const before = await theirs();
    const applied = { ...rule("theirs", "mine"), spec: { target: "DROP" } } as const;
    for (const fieldOwner of ["eve", "sdewan-operator"])
      await expect(as("eve").apply(FirewallRule, applied, { fieldOwner, force: true })).rejects.toThrow(refused);
    expect(await theirs()).toEqual(before);
  });

  it("cannot delete objects of other buckets with a collection request, with any selector", async () => {
    await as("eve").create(FirewallRule, rule("mine", "mine"));
    for (const labels of [undefined, { sdewanPurpose: "edge" }, { "sdewan-bucket-type": "theirs" }])
      await as("eve")
        .deleteCollection(FirewallRule, { namespace: team, ...(labels ? { labels } : {}) })
        .catch((error: unknown) => expect(String(error)).toContain(refused));
    expect((await theirs()).metadata.deletionTimestamp).toBeUndefined();
  });

  it.each([
    ["of another case", { "sdewan-bucket-type": "Mine" }],
    ["whose name is a prefix of hers", { "sdewan-bucket-type": "min" }],
    ["whose name begins with hers", { "sdewan-bucket-type": "mine.theirs" }],
    ["with look-alike letters", { "sdewan-bucket-type": "m1ne" }],
  ])("is not in a bucket %s", async (_what, labels) => {
    const { metadata } = rule("alike");
    const object = { metadata: { ...metadata, labels }, spec: {} };
    await expect(as("eve").create(FirewallRule, object, { dryRun: true })).rejects.toThrow(refused);
  });

  it("needs permission for her bucket even if the server generates the name", async () => {
    const { metadata, spec } = rule("", "theirs");
    const { name: _name, ...unnamed } = metadata;
    const made = { metadata: { ...unnamed, generateName: "mine-" }, spec } as never;
    await expect(as("eve").create(FirewallRule, made)).rejects.toThrow(refused);
  });

  it("cannot change labels, annotations or spec of another bucket's object through its status", async () => {
    const forged = { state: "In Sync", appliedPurpose: "hub", appliedGeneration: 99 };
    const metadata = {
      labels: { sdewanPurpose: "hub", "sdewan-bucket-type": "mine" },
      annotations: { "kubewright.dev/applied-purpose": "hub" },
      finalizers: ["a.example/b"],
    };
    const before = await theirs();
    await as("eve").status.patch(FirewallRule, `${team}/theirs`, forged);
    const all = { metadata, spec: { target: "DROP" }, status: { state: "In Sync" } };
    await as("eve").subResource("status").patch(FirewallRule, `${team}/theirs`, all);
    const whole = { ...before, ...all, metadata: { ...(await theirs()).metadata, ...metadata } };
    await as("eve").subResource("status").update(FirewallRule, `${team}/theirs`, whole);
    const { metadata: after, spec } = await theirs();
    expect([after.labels, after.annotations, after.finalizers, after.generation, spec]).toEqual([
      before.metadata.labels,
      before.metadata.annotations,
      before.metadata.finalizers,
      before.metadata.generation,
      before.spec,
    ]);
  });

  it("cannot set or replace a controller reference to one of the operator's composites", async () => {
    const composite = await as("admin").create(CNFService, {
      ...rule("web", "theirs"),
      spec: { fullname: "foo.example", port: "8866", dport: "80" },
    });
    const { uid = "" } = composite.metadata;
    const owner = { apiVersion: composite.apiVersion, kind: "CNFService", name: "web", uid, controller: true };
    const text = "A controller reference to CNFService web is reserved for the operator: remove it";
    const child = (name: string, ownerReferences: object[]) => rule(name, "mine", { ownerReferences });
    for (const each of ["eve", "admin"] as const) {
      const made = as(each).create(CNFNAT, child("webnat", [owner]));
      await expect(made).rejects.toThrow(text);
    }
    await as("eve").create(CNFNAT, child("webnat", [{ ...owner, controller: false }]));
    const patch = (ownerReferences: object[]) =>
      as("eve").patch(CNFNAT, `${team}/webnat`, { metadata: { ownerReferences } }, { type: "merge" });
    await expect(patch([owner])).rejects.toThrow(text);
    await patch([{ apiVersion: "v1", kind: "ConfigMap", name: "web", uid: "x", controller: true }]);
    await expect(patch([owner])).rejects.toThrow(text);
    // The operator creates children, and their users may still change them.
    await as("operator").create(CNFNAT, child("other", [owner]));
    await as("eve").patch(CNFNAT, `${team}/other`, { spec: { proto: "tcp" } }, { type: "merge" });
  });

  it("is not confused with a ServiceAccount whose user name has the same text", async () => {
    const annotations = grant({ "*": ["robots"] });
    await as("admin").create(ClusterRole, { metadata: { name: "robots", annotations } });
    await as("admin").create(RoleBinding, {
      metadata: { name: "robots", namespace: team },
      roleRef: roleRef("ClusterRole", "robots"),
      subjects: [{ kind: "ServiceAccount", name: "b", namespace: team }],
    });
    const tried = (name: (typeof users)[number]) =>
      as(name).create(FirewallRule, rule("tried", "robots"), { dryRun: true });
    await vi.waitFor(() => tried("system:serviceaccount:team-a:b"), { timeout: 10_000, interval: 50 });
    await expect(tried("system:serviceaccount:team:a:b")).rejects.toThrow("permission");
    await expect(tried("eve")).rejects.toThrow("permission");
  });

  it("has a bucket through a role created after its binding, and loses it with the role", async () => {
    const tried = () => as("eve").create(FirewallRule, rule("tried", "late"), { dryRun: true });
    await as("admin").create(RoleBinding, {
      metadata: { name: "late", namespace: team },
      roleRef: roleRef("Role", "late"),
      subjects: [user("eve")],
    });
    await expect(tried()).rejects.toThrow(refused);
    // A role of the same name in another namespace, where it must not count.
    await as("admin").create(Role, {
      metadata: { name: "late", namespace: "team-b", annotations: grant({ "*": ["late"] }) },
    });
    await as("admin").create(ClusterRole, { metadata: { name: "late", annotations: grant({ "*": ["late"] }) } });
    await expect(tried()).rejects.toThrow(refused);
    await as("admin").create(Role, {
      metadata: { name: "late", namespace: team, annotations: grant({ "*": ["late"] }) },
    });
    await vi.waitFor(tried, { timeout: 10_000, interval: 50 });
    await as("admin").delete(RoleBinding, `${team}/late`);
    await vi.waitFor(() => expect(tried()).rejects.toThrow(refused), { timeout: 10_000, interval: 50 });
  });
});
