import { Environment } from "@kubewright/envtest";
import { Client, isNotFound, type Kind } from "kubewright";
import { Deployment, Ingress, Pod, Service } from "kubewright/kinds";
import { operator, type RunningOperator } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { App } from "./app.ts";
import { setup } from "./main.ts";
import { role } from "./role.ts";
import { zoneLabel } from "./webhooks.ts";

const named = (name: string) => ({ namespace: "default", name });
let env: Environment;
let client: Client;
let running: RunningOperator;

beforeAll(async () => {
  env = await Environment.start({ crds: [App] });
  client = new Client({ connection: env.connection() });
  running = await operator(env, setup, {
    role,
    metrics: { bindAddress: "0" },
    webhooks: env.webhookOptions(),
    fieldOwner: "app-controller",
  });
  await env.serve(running.manager);
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
});

const create = (name: string, spec: Partial<App["spec"]>, options = {}) =>
  client.create(
    App,
    {
      metadata: named(name),
      spec: {
        image: "nginx",
        replicas: 2,
        enable_service: false,
        enable_ingress: false,
        ...spec,
      },
    },
    options,
  );
const createPod = (
  name: string,
  labels: Record<string, string>,
  options = {},
) =>
  client.create(
    Pod,
    {
      metadata: { ...named(name), labels },
      spec: { containers: [{ name: "web", image: "nginx" }] },
    },
    options,
  );
const isThere = (kind: Kind, name: string) =>
  client.get(kind, named(name)).then(
    () => true,
    (error) => !isNotFound(error),
  );
/** Reports which of the three objects exist. */
const partsOf = async (name: string) => ({
  deployment: await isThere(Deployment, name),
  service: await isThere(Service, name),
  ingress: await isThere(Ingress, name),
});

it("creates the requested parts, deletes the others, and reports the app's URL", async () => {
  await create("shop", { enable_service: true });
  await running.eventually(async () =>
    expect(await partsOf("shop")).toEqual({
      deployment: true,
      service: true,
      ingress: true,
    }),
  );
  const ingress = await client.get(Ingress, named("shop"));
  expect(ingress.spec?.rules?.[0]).toMatchObject({
    host: "shop.default.example.com",
    http: {
      paths: [
        { backend: { service: { name: "shop", port: { name: "http" } } } },
      ],
    },
  });
  expect(ingress.metadata.ownerReferences).toMatchObject([
    { kind: "App", name: "shop", controller: true },
  ]);
  await running.eventually(async () =>
    expect((await client.get(App, named("shop"))).status).toEqual({
      readyReplicas: 0,
      host: "shop.default.example.com",
    }),
  );

  await client.patch(App, named("shop"), {
    spec: { enable_ingress: false, enable_service: false },
  });
  await running.eventually(async () =>
    expect(await partsOf("shop")).toEqual({
      deployment: true,
      service: false,
      ingress: false,
    }),
  );
  await running.eventually(async () =>
    expect((await client.get(App, named("shop"))).status).toEqual({
      readyReplicas: 0,
    }),
  );
});

it("restores deleted and changed parts, and reports the number of ready pods", async () => {
  await create("bank", { enable_service: true });
  await running.eventually(async () =>
    expect((await partsOf("bank")).ingress).toBe(true),
  );
  await client.delete(Service, named("bank"));
  await client.delete(Ingress, named("bank"));
  await client.patch(Deployment, named("bank"), { spec: { replicas: 7 } });
  await running.eventually(async () => {
    expect(await partsOf("bank")).toEqual({
      deployment: true,
      service: true,
      ingress: true,
    });
    expect((await client.get(Deployment, named("bank"))).spec.replicas).toBe(2);
  });
  await client.status.patch(Deployment, named("bank"), {
    replicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
  });
  await running.eventually(async () =>
    expect((await client.get(App, named("bank"))).status?.readyReplicas).toBe(
      2,
    ),
  );
});

it("leaves objects of others with the same names unchanged", async () => {
  const ports = [{ port: 80 }];
  const { metadata } = await client.create(Service, {
    metadata: named("club"),
    spec: { ports },
  });
  await create("club", { enable_ingress: true });
  await running.eventually(async () =>
    expect((await client.get(App, named("club"))).status).toEqual({
      readyReplicas: 0,
    }),
  );
  expect((await client.get(Service, named("club"))).metadata.uid).toBe(
    metadata.uid,
  );
});

it("inverts enable_ingress when an app is created, not when it is updated", async () => {
  expect(
    (await create("inn", { enable_service: true, enable_ingress: false })).spec
      .enable_ingress,
  ).toBe(true);
  expect(
    (await create("pub", { enable_service: true, enable_ingress: true })).spec
      .enable_ingress,
  ).toBe(false);
  expect(
    (await client.patch(App, named("pub"), { spec: { replicas: 1 } })).spec
      .enable_ingress,
  ).toBe(false);
});

it("requires a Service for an Ingress", async () => {
  const text =
    "spec.enable_service: Invalid value: false: must be true if enable_ingress is";
  await expect(create("cafe", { enable_ingress: false })).rejects.toThrow(text);
  await create("cafe", { enable_ingress: true });
  await expect(
    client.patch(App, named("cafe"), { spec: { enable_ingress: true } }),
  ).rejects.toThrow(text);
});

it("labels the pods of apps, and no others", async () => {
  expect((await createPod("shop-0", { app: "shop" })).metadata.labels).toEqual({
    app: "shop",
    [zoneLabel]: "web",
  });
  expect((await createPod("stray", { own: "yes" })).metadata.labels).toEqual({
    own: "yes",
  });
});
