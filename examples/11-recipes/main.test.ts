import { Environment } from "@kubewright/envtest";
import { Client, findCondition, isNotFound, Manager, unstructured } from "kubewright";
import { ClusterRole, ClusterRoleBinding, ConfigMap } from "kubewright/kinds";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { applied, counted } from "./apply.ts";
import { addShopController } from "./controller.ts";
import { role } from "./role.ts";
import { Shop } from "./shop.ts";

const Event = unstructured({ apiVersion: "events.k8s.io/v1", kind: "Event" });
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });
const named = (name: string) => ({ namespace: "default", name });
const stop = new AbortController();
const hosts = new Set<string>();
let env: Environment;
let client: Client;
let manager: Manager;
let running: Promise<void>;

beforeAll(async () => {
  env = await Environment.start({ crds: [Shop], users: [{ name: "shop-controller" }] });
  client = new Client({ connection: env.connection(), fieldOwner: "tests" });
  await client.create(ClusterRole, role);
  await client.create(ClusterRoleBinding, {
    metadata: { name: "shop-controller" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
    subjects: [{ kind: "User", name: "shop-controller" }],
  });
  manager = new Manager({ connection: env.connection("shop-controller"), metrics: { bindAddress: "0" } });
  addShopController(manager, {
    enter: async (host) => void hosts.add(host),
    remove: async (host) => void hosts.delete(host),
  });
  running = manager.run(stop.signal);
});
afterAll(async () => {
  stop.abort();
  await running;
  await client.close();
  await env.stop();
});

const readyOf = async (name: string) => {
  const shop = await client.get(Shop, named(name));
  return findCondition(shop.status?.conditions, "Ready");
};

it("waits for what a shop refers to, enters it, tells of it, and takes it out before it goes", async () => {
  await client.create(Shop, { metadata: named("north"), spec: { host: "north.example.com", settings: "winter" } });
  await eventually(async () => expect(await readyOf("north")).toMatchObject({ status: "False", reason: "NoSettings" }));
  expect(hosts).toEqual(new Set());

  await client.create(ConfigMap, { metadata: named("winter"), data: {} });
  await eventually(async () => expect(await readyOf("north")).toMatchObject({ status: "True", observedGeneration: 1 }));
  expect(hosts).toEqual(new Set(["north.example.com"]));
  await eventually(async () => {
    const events = await client.list(Event, { namespace: "default" });
    expect(events).toContainEqual(expect.objectContaining({ reason: "Entered" }));
  });
  expect(await manager.metrics.metrics()).toMatch(/^shop_names_entered_total\{namespace="default"\} [1-9]/m);

  await client.delete(Shop, named("north"));
  await eventually(async () => {
    await expect(client.get(Shop, named("north"))).rejects.toSatisfy(isNotFound);
  });
  expect(hosts).toEqual(new Set());
});

it("leaves to others what it does not name, and writes nothing where nothing differs", async () => {
  const first = await applied(client, "green");
  await client.patch(ConfigMap, named("settings"), { data: { size: "large" } });
  const second = await applied(client, "blue");
  expect(second.data).toEqual({ colour: "blue", size: "large" });
  expect(second.metadata.uid).toBe(first.metadata.uid);
  expect((await applied(client, "blue")).metadata.resourceVersion).toBe(second.metadata.resourceVersion);
});

it("goes by what is there", async () => {
  await counted(client);
  expect((await counted(client)).data).toEqual({ count: "2" });
});
