import { defineKind, typedSchema, type Unstructured } from "@kubewright/apimachinery";
import { Client, type Reader } from "@kubewright/client";
import {
  Deployment,
  MutatingWebhookConfiguration,
  Namespace,
  Pod,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { admission } from "../admission.ts";
import { EntryKeeper } from "./entry-keeper.ts";

const namespace = "shop-system";
const service = { namespace, name: "shop-webhook-service" };
const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: typedSchema<{ message?: string }>({ type: "object" }),
});
const { declarations } = admission(Site).validate({ create: () => {} });
const [declared] = declarations.map(({ name }) => name);
const caBundle = Buffer.from("-----BEGIN CERTIFICATE-----").toString("base64");

const entry = (name: string, more: object = {}, called: object = {}) => ({
  name,
  clientConfig: { service: { ...service, path: `/${name.split(".", 1)[0]}`, ...called }, caBundle: "" },
  rules: [{ operations: ["CREATE"], apiGroups: ["shop.example.com"], apiVersions: ["*"], resources: ["sites"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Ignore",
  ...more,
});
const pools = {
  rules: [{ operations: ["CREATE"], apiGroups: ["x.example.com"], apiVersions: ["*"], resources: ["pools"] }],
};
const labels = (hash: string) => ({ app: "shop", "pod-template-hash": hash });

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start({});
  client = new Client({ connection: env.connection() });
  await client.create(Namespace, { metadata: { name: namespace } });
}, 60_000);
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

const containers = [{ name: "manager", image: "example/shop" }];
const pod = (name: string, hash: string) =>
  client.create(Pod, { metadata: { name, namespace, labels: labels(hash) }, spec: { containers } });
const rolledOut = { observedGeneration: 1, replicas: 1, updatedReplicas: 1 };
const status = (change: object) => client.status.patch(Deployment, { namespace, name: "shop" }, change);

beforeEach(async () => {
  vi.stubEnv("POD_NAME", "shop-b-1");
  const template = { metadata: { labels: { app: "shop" } }, spec: { containers } };
  const spec = { replicas: 1, selector: { matchLabels: { app: "shop" } }, template };
  await client.create(Deployment, { metadata: { name: "shop", namespace }, spec });
  await status(rolledOut);
  await pod("shop-b-1", "b");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await client.delete(Deployment, { namespace, name: "shop" });
  for (const { metadata } of await client.list(Pod, { namespace }))
    await client.delete(Pod, { namespace, name: metadata.name }, { gracePeriodSeconds: 0 });
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration]) {
    for (const { metadata } of await client.list<Unstructured>(kind as never)) await client.delete(kind, metadata.name);
  }
});

const program = { "app.kubernetes.io/name": "shop" };
const configure = (webhooks: readonly object[], inManifest?: string) =>
  client.create(ValidatingWebhookConfiguration, {
    metadata: {
      name: "shop-validating",
      labels: program,
      ...(inManifest === undefined ? {} : { annotations: { "kubewright.dev/webhooks": inManifest } }),
    },
    webhooks: webhooks as ValidatingWebhookConfiguration["webhooks"] & object,
  });
const trusted = (name: string, more: object = {}) => {
  const one = entry(name, more);
  return { ...one, clientConfig: { ...one.clientConfig, caBundle } };
};
const names = async (): Promise<string[] | undefined> =>
  (await client.get(ValidatingWebhookConfiguration, "shop-validating")).webhooks?.map(({ name }) => name);

/** Starts a keeper that runs until the end of the test, with a clock that follows its requests. */
function start(isServed = async () => true) {
  const clock = new FakeClock();
  const [stop, asked] = [new AbortController(), vi.fn(isServed)];
  const counted = { calls: 0 };
  const keeper = new EntryKeeper({
    client: {
      get: client.get.bind(client) as Reader["get"],
      list: client.list.bind(client) as Reader["list"],
      patch: (...call) => {
        counted.calls++;
        return client.patch(...call);
      },
    },
    program: "shop",
    names: { mutating: ["shop-mutating"], validating: ["shop-validating"] },
    service,
    declarations: () => declarations,
    entryOf: ({ name }) => trusted(name),
    isServed: asked,
    clock,
    logger: silentLogger,
  });
  const run = keeper.run(stop.signal);
  const advance = async (ms: number): Promise<void> => {
    for (let left = ms; left >= 0; left -= 1_000) {
      await vi.waitFor(() => expect(clock.waiting).toBe(1)); // it is idle
      await clock.advance(Math.min(left, 1_000));
    }
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
  };
  return {
    advance,
    counted,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await run;
    },
  };
}

it("removes entries that the program no longer declares, once their successors were live for ten seconds", async () => {
  await configure([trusted("old.site.example.com"), trusted(declared ?? ""), trusted("gone.pool.example.com", pools)]);
  await using keeper = start();
  await keeper.advance(8_000);
  expect(await names()).toHaveLength(3);
  await keeper.advance(4_000);
  await expect.poll(names).toEqual([declared]);
  await keeper.advance(60_000);
  expect(keeper.counted.calls).toBe(2);
});

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    "pods of another revision run",
    () => pod("shop-a-1", "a"),
    () => client.delete(Pod, { namespace, name: "shop-a-1" }, { gracePeriodSeconds: 0 }),
  ],
  ["its Deployment rolls out", () => status({ updatedReplicas: 0 }), () => status(rolledOut)],
  ["its Deployment has not been looked at", () => status({ observedGeneration: 0 }), () => status(rolledOut)],
  ["its Deployment has more pods than it wants", () => status({ replicas: 2 }), () => status(rolledOut)],
])("waits while %s", async (_, begin, end) => {
  await configure([trusted("old.site.example.com"), trusted(declared ?? "")]);
  await begin();
  await using keeper = start();
  await keeper.advance(40_000);
  expect(await names()).toHaveLength(2);
  await end();
  await keeper.advance(20_000);
  await expect.poll(names).toEqual([declared]);
});

it.each<[string, readonly object[], (() => Promise<boolean>)?]>([
  ["the successor is not live", [trusted("old.site.example.com")]],
  ["the successor has no bundle", [trusted("old.site.example.com"), entry(declared ?? "")]],
  ["its version is not served", [trusted("old.site.example.com"), trusted(declared ?? "")], async () => false],
])("keeps entries that validate as long as %s", async (_, webhooks, isServed) => {
  await configure(webhooks);
  await using keeper = start(isServed);
  await keeper.advance(40_000);
  expect(await names()).toHaveLength(webhooks.length);
  expect(keeper.counted.calls).toBe(0);
});

it("adds what the manifest of an earlier revision lacks, and leaves the rest to the next manifest", async () => {
  const old = "old.site.example.com";
  await configure([trusted(old)], old);
  await using keeper = start();
  await keeper.advance(8_000);
  expect(await names()).toEqual([old]);
  await keeper.advance(40_000);
  expect(await names()).toEqual([old, declared]);
  const { webhooks } = await client.get(ValidatingWebhookConfiguration, "shop-validating");
  expect(webhooks?.[1]?.clientConfig.caBundle).toBe(caBundle);
  expect(keeper.counted.calls).toBe(1);
  const metadata = { annotations: { "kubewright.dev/webhooks": declared ?? "" } };
  await client.patch(ValidatingWebhookConfiguration, "shop-validating", { metadata });
  await keeper.advance(60_000);
  await expect.poll(names).toEqual([declared]);
});

it("adds nothing that an overlay of its manifest has left out, and nothing as long as other pods run", async () => {
  await configure([], declared);
  await using keeper = start();
  await keeper.advance(40_000);
  expect(await names()).toEqual(undefined);
  await pod("shop-a-1", "a");
  await client.patch(ValidatingWebhookConfiguration, "shop-validating", {
    metadata: { annotations: { "kubewright.dev/webhooks": "" } },
  });
  await keeper.advance(60_000);
  expect(keeper.counted.calls).toBe(0);
});

it("touches no configuration without its label, and no entry of another service", async () => {
  const foreign = entry("other.site.example.com", {}, { name: "elsewhere" });
  const url = { ...entry("url.site.example.com"), clientConfig: { url: "https://example.com" } };
  await configure([trusted(declared ?? ""), foreign, url, entry("ns.site.example.com", {}, { namespace: "default" })]);
  await client.create(MutatingWebhookConfiguration, {
    metadata: { name: "shop-mutating", labels: { "app.kubernetes.io/name": "other" } },
    webhooks: [entry("old.site.example.com")],
  });
  await using keeper = start();
  await keeper.advance(40_000);
  expect(await names()).toHaveLength(4);
  expect((await client.get(MutatingWebhookConfiguration, "shop-mutating")).webhooks).toHaveLength(1);
  expect(keeper.counted.calls).toBe(0);
});

it("does nothing outside a Deployment", async () => {
  vi.stubEnv("POD_NAME", "somewhere-else");
  await configure([trusted("old.site.example.com"), trusted(declared ?? "")]);
  await using keeper = start();
  await keeper.advance(40_000);
  expect(await names()).toHaveLength(2);
});
