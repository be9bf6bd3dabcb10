import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { localCertificates } from "@kubewright/webhook/local";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CNFRoute } from "../api/cnf-route.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { SdewanApplication } from "../api/sdewan-application.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { permissionAnnotation } from "./bucket-grant.ts";
import type { Guard, Warnings } from "./bucket-permission.ts";
import { ownUser } from "./operator-user.ts";
import { indexRoles } from "./role-grants.ts";
import { operatorWebhooks, webhookConfiguration, webhookName } from "./webhooks.ts";

const users = {
  jane: [] as string[],
  joe: ["netops"],
  netops: [], // a user with the name of a group
  operator: [],
  "system:serviceaccount:team-a:robot": [],
  "system:serviceaccount:kube-system:namespace-controller": [],
  "system:serviceaccount:kube-system:generic-garbage-collector": [],
};
type User = keyof typeof users | "admin";

let env: Environment;
const clients = new Map<string, Client>();
const as = (user: User): Client => {
  const client = clients.get(user);
  if (!client) throw new Error(`no client of ${user}`);
  return client;
};
const stop = new AbortController();
let running: Promise<void>;

const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const subject = (kind: string, name: string, namespace?: string) => ({
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});
const toRole = (kind: "Role" | "ClusterRole", name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
const grant = (buckets: Record<string, string[]>) => ({ [permissionAnnotation]: JSON.stringify(buckets) });

beforeAll(async () => {
  env = await Environment.start({
    crds: [...apiKinds],
    users: Object.entries(users).map(([name, groups]) => ({ name, groups })),
  });
  for (const user of [...Object.keys(users), "admin"])
    clients.set(user, new Client({ connection: env.connection(user) }));
  const admin = as("admin");
  for (const name of ["team-a", "team-b", "sdewan-system"]) await admin.create(Namespace, { metadata: { name } });
  // RBAC allows everyone everything, so only the webhooks refuse requests here.
  await admin.create(ClusterRole, { metadata: { name: "everything" }, rules: [all] });
  await admin.create(ClusterRoleBinding, {
    metadata: { name: "everything" },
    roleRef: toRole("ClusterRole", "everything"),
    subjects: Object.keys(users).map((name) => subject("User", name)),
  });

  const manager = new Manager({
    connection: env.connection("operator"),
    metrics: { bindAddress: "0" },
    logger: silentLogger,
    webhooks: { port: 0, host: "127.0.0.1", certificates: localCertificates({ hosts: ["127.0.0.1"] }) },
  });
  indexRoles(manager.cache);
  const warnings: Warnings = async (_reader, kind, { metadata }) => [`${kind.kind} ${metadata.name} has no effect`];
  const guard: Guard = async (_reader, _kind, { metadata }) =>
    metadata.name.startsWith("cut") ? `${metadata.name} would cut off the CNF` : undefined;
  manager.webhooks.add(...operatorWebhooks(ownUser(manager.unfenced.apiReader), { warnings, guard }));
  running = manager.run(stop.signal);
  await vi.waitFor(() => expect(manager.webhooks.port).toBeGreaterThan(0), { timeout: 10_000 });
  const url = `https://127.0.0.1:${manager.webhooks.port}`;
  for (const object of manager.webhooks.configurations({ name: webhookName, namespace: "sdewan-system", url })) {
    expect(object.metadata.name).toBe(webhookConfiguration);
    await admin.create(unstructured(object), object);
  }
  // The server takes a moment to load the webhook configuration.
  await vi.waitFor(
    () =>
      expect(as("jane").create(FirewallRule, inBucket("probe", "x"), { dryRun: true })).rejects.toThrow("permission"),
    { timeout: 10_000, interval: 50 },
  );
}, 60_000);
afterAll(async () => {
  stop.abort();
  await running;
  for (const client of clients.values()) await client.close();
  await env.stop();
});

const inBucket = (name: string, bucket?: string, namespace = "team-a", annotations?: Record<string, string>) => ({
  metadata: {
    name,
    namespace,
    labels: { sdewanPurpose: "edge", ...(bucket === undefined ? {} : { "sdewan-bucket-type": bucket }) },
    ...(annotations ? { annotations } : {}),
  },
  spec: {},
});
const tryOut = { dryRun: true } as const;
const allowedTo = (user: User, bucket: string, namespace?: string) =>
  as(user)
    .create(FirewallRule, inBucket("tried", bucket, namespace), tryOut)
    .then(
      () => "allowed",
      (error: unknown) => String(error),
    );
const refusedTo = (user: User) => expect.stringContaining(`User(${user}) don't have the permission`);
/** Roles are read from a cache, which receives them a moment later. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 50 });

it("warns a user who writes an object, but not of changes that do not affect packets", async () => {
  const texts: string[] = [];
  const client = new Client({ connection: env.connection("jane"), onWarning: (text) => void texts.push(text) });
  const written = async (write: Promise<unknown>): Promise<readonly string[]> => {
    await write;
    return texts.splice(0);
  };
  expect(await written(client.create(FirewallRule, inBucket("warned")))).toEqual(["FirewallRule warned has no effect"]);
  const change = (object: object) => client.patch(FirewallRule, "team-a/warned", object);
  expect(await written(change({ metadata: { annotations: { note: "mine" } } }))).toEqual([]);
  expect(await written(change({ spec: { target: "DROP" } }))).toHaveLength(1);
  expect(await written(change({ metadata: { annotations: { "sdewan.akraino.org/order": "3" } } }))).toHaveLength(1);
  expect(await written(client.delete(FirewallRule, "team-a/warned"))).toEqual([]);
  await client.close();
});

describe("the bucket permission webhook", () => {
  it("allows everyone to write objects outside of buckets", async () => {
    await as("jane").create(FirewallRule, inBucket("free"), tryOut);
    await as("jane").create(FirewallRule, inBucket("free", ""), tryOut);
  });

  it("allows cluster administrators to write everything, by the group system:masters alone", async () => {
    await as("admin").create(FirewallRule, inBucket("a", "secret-bucket"), tryOut);
  });

  it("refuses an object that the guard objects to, also for cluster administrators", async () => {
    const metadata = { name: "cut", namespace: "team-a" };
    for (const user of ["jane", "admin"] as const)
      await expect(as(user).create(FirewallRule, { metadata, spec: {} })).rejects.toMatchObject({
        status: { code: 403, message: expect.stringContaining("cut would cut off the CNF") },
      });
  });

  it("is called for every kind of the group, including those whose plurals the reference misspells", async () => {
    const { webhooks = [] } = await as("admin").get(ValidatingWebhookConfiguration, webhookConfiguration);
    for (const name of ["validate-sdewan-bucket.akraino.org", "validate-label.akraino.org"]) {
      const { rules = [] } = webhooks.find((webhook) => webhook.name === name) ?? {};
      expect(rules.flatMap(({ resources = [] }) => resources)).toEqual(apiKinds.map(({ plural }) => plural));
    }
    const { metadata } = inBucket("a", "secret-bucket");
    const application = { metadata, spec: { appNamespace: "x", podSelector: {} } };
    await expect(as("jane").create(SdewanApplication, application, tryOut)).rejects.toThrow("permission");
  });

  it("accepts Roles bound to a user, and ClusterRoles bound by a RoleBinding, in the namespace of the object", async () => {
    const admin = as("admin");
    expect(await allowedTo("jane", "blue")).toEqual(refusedTo("jane"));
    const metadata = { name: "blue", namespace: "team-a", annotations: grant({ "firewall*": ["blue"] }) };
    await admin.create(Role, { metadata });
    const bound = { name: "jane", namespace: "team-a" };
    await admin.create(RoleBinding, {
      metadata: bound,
      roleRef: toRole("Role", "blue"),
      subjects: [subject("User", "jane")],
    });
    await eventually(async () => expect(await allowedTo("jane", "blue")).toBe("allowed"));
    expect(await allowedTo("jane", "red")).toEqual(refusedTo("jane"));
    expect(await allowedTo("jane", "blue", "team-b")).toEqual(refusedTo("jane"));
    await expect(as("jane").create(CNFRoute, inBucket("r", "blue"), tryOut)).rejects.toThrow("permission");

    await admin.create(ClusterRole, { metadata: { name: "green", annotations: grant({ "*": ["gr?en"] }) } });
    await admin.create(RoleBinding, {
      metadata: { name: "jane-green", namespace: "team-b" },
      roleRef: toRole("ClusterRole", "green"),
      subjects: [subject("User", "jane")],
    });
    await eventually(async () => expect(await allowedTo("jane", "green", "team-b")).toBe("allowed"));
    expect(await allowedTo("jane", "green", "team-a")).toEqual(refusedTo("jane"));
  });

  it("does not confuse a Role with a ClusterRole of the same name", async () => {
    const admin = as("admin");
    await admin.create(Role, {
      metadata: { name: "same", namespace: "team-a", annotations: grant({ "*": ["role"] }) },
    });
    await admin.create(ClusterRole, { metadata: { name: "same", annotations: grant({ "*": ["clusterrole"] }) } });
    const metadata = { name: "same", namespace: "team-a" };
    await admin.create(RoleBinding, {
      metadata,
      roleRef: toRole("ClusterRole", "same"),
      subjects: [subject("User", "joe")],
    });
    await eventually(async () => expect(await allowedTo("joe", "clusterrole")).toBe("allowed"));
    expect(await allowedTo("joe", "role")).toEqual(refusedTo("joe"));
  });

  it("accepts groups, and does not confuse a group with a user of the same name", async () => {
    const admin = as("admin");
    await admin.create(ClusterRole, { metadata: { name: "ops", annotations: grant({ "*": ["ops"] }) } });
    await admin.create(ClusterRoleBinding, {
      metadata: { name: "ops" },
      roleRef: toRole("ClusterRole", "ops"),
      subjects: [subject("Group", "netops")],
    });
    await eventually(async () => expect(await allowedTo("joe", "ops", "team-b")).toBe("allowed"));
    expect(await allowedTo("netops", "ops")).toEqual(refusedTo("netops"));
    expect(await allowedTo("jane", "ops")).toEqual(refusedTo("jane"));
  });

  it("accepts ServiceAccounts; one without a namespace is in that of the binding", async () => {
    const robot = "system:serviceaccount:team-a:robot";
    const admin = as("admin");
    await admin.create(ServiceAccount, { metadata: { name: "robot", namespace: "team-a" } });
    await admin.create(ClusterRole, { metadata: { name: "robots", annotations: grant({ "*": ["robots"] }) } });
    const roleRef = toRole("ClusterRole", "robots");
    const bind = (namespace: string, of: string) =>
      admin.create(RoleBinding, {
        metadata: { name: `robot-of-${of}`, namespace },
        roleRef,
        subjects: [subject("ServiceAccount", "robot", of)],
      });
    await bind("team-b", "team-b");
    await bind("team-a", "team-a");
    await eventually(async () => expect(await allowedTo(robot, "robots", "team-a")).toBe("allowed"));
    expect(await allowedTo(robot, "robots", "team-b")).toEqual(refusedTo(robot));
  });

  it("ignores missing roles and annotations that are not JSON", async () => {
    const admin = as("admin");
    const metadata = { name: "broken", annotations: { [permissionAnnotation]: "{ no" } };
    await admin.create(ClusterRole, { metadata });
    await admin.create(ClusterRole, { metadata: { name: "late", annotations: grant({ "*": ["late"] }) } });
    for (const role of ["missing", "broken", "late"])
      await admin.create(ClusterRoleBinding, {
        metadata: { name: `a-${role}` },
        roleRef: toRole("ClusterRole", role),
        subjects: [subject("User", "netops")],
      });
    await eventually(async () => expect(await allowedTo("netops", "late")).toBe("allowed"));
    expect(await allowedTo("netops", "never")).toEqual(refusedTo("netops"));
  });

  it("requires permission for the old and the new bucket of an update, and for the old one of a deletion", async () => {
    const admin = as("admin");
    const metadata = { name: "one", annotations: grant({ firewallzones: ["mine"] }) };
    await admin.create(ClusterRole, { metadata });
    await admin.create(ClusterRoleBinding, {
      metadata: { name: "one" },
      roleRef: toRole("ClusterRole", "one"),
      subjects: [subject("User", "jane")],
    });
    const zone = (name: string, bucket?: string) => ({ ...inBucket(name, bucket), spec: { network: ["lan"] } });
    await eventually(async () => void (await as("jane").create(FirewallZone, zone("tried", "mine"), tryOut)));
    await admin.create(FirewallZone, zone("theirs", "theirs"));
    await admin.create(FirewallZone, zone("mine", "mine"));
    await admin.create(FirewallZone, zone("nobodys"));
    const label = (name: string, bucket: string | null) =>
      as("jane").patch(FirewallZone, `team-a/${name}`, { metadata: { labels: { "sdewan-bucket-type": bucket } } });
    await expect(label("theirs", null)).rejects.toThrow("don't have the permission");
    await expect(label("theirs", "mine")).rejects.toThrow("don't have the permission");
    await expect(label("mine", "theirs")).rejects.toThrow("don't have the permission");
    await expect(label("nobodys", "theirs")).rejects.toThrow("don't have the permission");
    await expect(as("jane").delete(FirewallZone, "team-a/theirs")).rejects.toThrow("don't have the permission");
    expect((await label("nobodys", "mine")).metadata.labels?.["sdewan-bucket-type"]).toBe("mine");
    expect((await label("mine", null)).metadata.labels?.["sdewan-bucket-type"]).toBeUndefined();
    await as("jane").delete(FirewallZone, "team-a/mine");
    await as("jane").delete(FirewallZone, "team-a/nobodys");
  });

  it("returns 403 with the text as the message", async () => {
    const refused = as("jane").create(FirewallRule, inBucket("a", "secret-bucket"));
    await expect(refused).rejects.toMatchObject({
      status: {
        code: 403,
        message: `admission webhook "validate-sdewan-bucket.akraino.org" denied the request: User(jane) don't have the permission`,
      },
    });
  });
});

describe("garbage collection", () => {
  const collector = "system:serviceaccount:kube-system:generic-garbage-collector";
  const keeper = "system:serviceaccount:kube-system:namespace-controller";
  const patch = (user: User, change: object) =>
    as(user).patch(FirewallRule, "team-a/kept", change, { type: "merge", ...tryOut });

  it("may delete, and change finalizers and owner references, but nothing else", async () => {
    await as("admin").create(FirewallRule, inBucket("kept", "secret-bucket"));
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" };
    for (const change of [{ finalizers: ["example.com/a"] }, { ownerReferences: [owner] }]) {
      await patch(collector, { metadata: change });
      await expect(patch("jane", { metadata: change })).rejects.toThrow("don't have the permission");
    }
    await expect(patch(collector, { spec: { target: "DROP" } })).rejects.toThrow("don't have the permission");
    await expect(patch(collector, { metadata: { labels: { a: "b" } } })).rejects.toThrow("don't have the permission");
    await expect(as(keeper).create(FirewallRule, inBucket("b", "secret-bucket"), tryOut)).rejects.toThrow("permission");
    await expect(as("jane").delete(FirewallRule, "team-a/kept")).rejects.toThrow("don't have the permission");
    await as(keeper).delete(FirewallRule, "team-a/kept");
  });
});

describe("the operator's annotations", () => {
  it.each(["kubewright.dev/applied-purpose", "kubewright.dev/sent-certificates", "kubewright.dev/applied-secrets"])(
    "%s cannot be set, changed or removed by anybody else, including administrators",
    async (note) => {
      const text = `Annotation '${note}' is reserved for the operator`;
      const name = note.replaceAll(/[^a-z]/g, "-");
      for (const user of ["admin", "jane"] as const) {
        const created = as(user).create(FirewallRule, inBucket("forged", undefined, "team-a", { [note]: "x" }));
        await expect(created).rejects.toThrow(text);
      }
      await as("operator").create(FirewallRule, inBucket(name, undefined, "team-a", { [note]: "x" }));
      const annotate = (user: User, value: string | null) =>
        as(user).patch(FirewallRule, `team-a/${name}`, { metadata: { annotations: { [note]: value, own: "y" } } });
      for (const user of ["admin", "jane"] as const)
        for (const value of ["z", null, ""]) await expect(annotate(user, value)).rejects.toThrow(text);
      await annotate("jane", "x"); // unchanged
      await annotate("operator", null);
      await as("jane").delete(FirewallRule, `team-a/${name}`);
    },
  );
});

describe("the label immutability webhook", () => {
  const set = (value: string | null) => ({ metadata: { labels: { sdewanPurpose: value } } });

  it("refuses to change, remove or add the label of a resource, and allows other changes", async () => {
    const admin = as("admin");
    await admin.create(FirewallRule, inBucket("labelled"));
    await admin.create(FirewallRule, { metadata: { name: "bare", namespace: "team-a" }, spec: {} });
    for (const [name, value] of [
      ["labelled", "other"],
      ["labelled", null],
      ["bare", "edge"],
    ] as const)
      await expect(admin.patch(FirewallRule, `team-a/${name}`, set(value))).rejects.toThrow(
        "Label 'sdewanPurpose' is immutable",
      );
    await admin.patch(FirewallRule, "team-a/labelled", { metadata: { labels: { a: "b" } }, spec: { target: "DROP" } });
    // An empty label counts as absent.
    await admin.patch(FirewallRule, "team-a/bare", set(""));
  });

  const deployment = (name: string, namespace: string, labels: Record<string, string>) => ({
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "a", image: "a" }] } },
    },
  });
  const relabel = (name: string, namespace: string, value: string | null) =>
    as("admin").patch(Deployment, { name, namespace }, set(value));

  it("refuses the same for Deployments, and allows other changes", async () => {
    const admin = as("admin");
    await admin.create(Deployment, deployment("cnf", "team-a", { sdewanPurpose: "edge" }));
    await admin.create(Deployment, deployment("web", "team-a", {}));
    await expect(relabel("cnf", "team-a", "other")).rejects.toThrow("Label 'sdewanPurpose' is immutable");
    await expect(relabel("cnf", "team-a", null)).rejects.toThrow("Label 'sdewanPurpose' is immutable");
    await expect(relabel("web", "team-a", "edge")).rejects.toThrow("Label 'sdewanPurpose' is immutable");
    await admin.patch(Deployment, "team-a/cnf", { spec: { replicas: 3 } });
  });

  it("is not called for Deployments in the operator's own namespace", async () => {
    await as("admin").create(Deployment, deployment("own", "sdewan-system", { sdewanPurpose: "edge" }));
    await relabel("own", "sdewan-system", "other");
  });

  it("is called only for Deployments with the label", async () => {
    const { webhooks = [] } = await as("admin").get(ValidatingWebhookConfiguration, webhookConfiguration);
    const ofDeployments = webhooks.filter(({ rules = [] }) =>
      rules.some(({ resources = [] }) => resources.includes("deployments")),
    );
    expect(ofDeployments.map(({ name, objectSelector }) => [name, objectSelector])).toEqual([
      ["validate-deployment-label.akraino.org", { matchExpressions: [{ key: "sdewanPurpose", operator: "Exists" }] }],
    ]);
  });
});
