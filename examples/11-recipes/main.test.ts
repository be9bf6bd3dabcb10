import { Environment } from "@kubewright/envtest";
import { Client, findCondition, isNotFound, unstructured } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { operator, type RunningOperator } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applied, counted } from "./apply.ts";
import { addShopController } from "./controller.ts";
import { role } from "./role.ts";
import { Shop } from "./shop.ts";

const Event = unstructured({ apiVersion: "events.k8s.io/v1", kind: "Event" });
const named = (name: string) => ({ namespace: "default", name });
const hosts = new Set<string>();
let env: Environment;
let client: Client;
let running: RunningOperator;

beforeAll(async () => {
  env = await Environment.start({ crds: [Shop] });
  client = new Client({ connection: env.connection(), fieldOwner: "tests" });
  const setup = {
    enter: async (host: string) => void hosts.add(host),
    remove: async (host: string) => void hosts.delete(host),
  };
  running = await operator(
    env,
    (manager) => addShopController(manager, setup),
    {
      role,
      user: "shop-controller",
      metrics: { bindAddress: "0" },
    },
  );
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
});

const readyOf = async (name: string) => {
  const shop = await client.get(Shop, named(name));
  return findCondition(shop.status?.conditions, "Ready");
};

it("waits for the ConfigMap of a shop, enters the shop, creates an Event, and removes it before its deletion", async () => {
  await client.create(Shop, {
    metadata: named("north"),
    spec: { host: "north.example.com", settings: "winter" },
  });
  await running.eventually(async () =>
    expect(await readyOf("north")).toMatchObject({
      status: "False",
      reason: "NoSettings",
    }),
  );
  expect(hosts).toEqual(new Set());

  await client.create(ConfigMap, { metadata: named("winter"), data: {} });
  await running.eventually(async () =>
    expect(await readyOf("north")).toMatchObject({
      status: "True",
      observedGeneration: 1,
    }),
  );
  expect(hosts).toEqual(new Set(["north.example.com"]));
  await running.eventually(async () => {
    const events = await client.list(Event, { namespace: "default" });
    expect(events).toContainEqual(
      expect.objectContaining({ reason: "Entered" }),
    );
  });
  expect(await running.manager.metrics.metrics()).toMatch(
    /^shop_names_entered_total\{namespace="default"\} [1-9]/m,
  );

  await client.delete(Shop, named("north"));
  await running.eventually(async () => {
    await expect(client.get(Shop, named("north"))).rejects.toSatisfy(
      isNotFound,
    );
  });
  expect(hosts).toEqual(new Set());
});

it("leaves other fields to others, and writes nothing if nothing differs", async () => {
  const first = await applied(client, "green");
  await client.patch(ConfigMap, named("settings"), { data: { size: "large" } });
  const second = await applied(client, "blue");
  expect(second.data).toEqual({ colour: "blue", size: "large" });
  expect(second.metadata.uid).toBe(first.metadata.uid);
  expect((await applied(client, "blue")).metadata.resourceVersion).toBe(
    second.metadata.resourceVersion,
  );
});

it("bases its change on the existing object", async () => {
  await counted(client);
  expect((await counted(client)).data).toEqual({ count: "2" });
});
