import { setImmediate as nextTurn } from "node:timers/promises";
import { controllerReference, defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import {
  ConfigMap,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { asReconciler, generationChanged, type Predicate } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { admission } from "@kubewright/webhook";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** The figures of docs/guide/platform.md. */

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({ colour: Type.String() }),
  status: Type.Object({ colour: Type.Optional(Type.String()) }),
});
type Site = ObjectOf<typeof Site>;

let clock: FakeClock;
let env: Environment;
let client: Client;
let stop: AbortController;
let running: Promise<unknown>[];

beforeEach(async () => {
  clock = new FakeClock();
  env = await Environment.start({ crds: [Site], inProcess: true, clock });
  client = new Client({ connection: env.connection() });
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  let hasEnded = false;
  const ended = Promise.all(running).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) await pass(1);
  await ended;
  await client.close();
  await env.stop();
});

/** Starts a replica of a program: a kind with a child, a status and Events. Returns its requests, without queries. */
function start(options: ManagerOptions = {}, predicates: readonly Predicate<Site>[] = []): string[] {
  const manager = new Manager({
    connection: env.connection(),
    clock,
    name: "shop",
    fieldOwner: "shop",
    logger: silentLogger,
    preflight: true,
    metrics: { bindAddress: "0" },
    leaderElection: { id: "shop.example.com", namespace: "default" },
    ...options,
  });
  const reconcile = asReconciler(Site, async (site, { client, recorder }) => {
    const { namespace = "", name } = site.metadata;
    const { colour } = site.spec;
    const ownerReferences = [controllerReference(site)];
    await client.apply(ConfigMap, { metadata: { namespace, name, ownerReferences }, data: { colour } });
    if (site.status?.colour === colour) return;
    await client.status.patch(Site, site, { colour });
    recorder.event(site, { type: "Normal", reason: "Painted", action: "Paint", note: colour });
  });
  controllerManagedBy(manager).for(Site, { predicates }).owns(ConfigMap).complete(reconcile);
  if (options.webhooks) manager.webhooks.add(admission(Site).default(() => {}));
  const requests: string[] = [];
  manager.unfenced.apiReader.connection.observe({
    answered: ({ method, path }) => {
      const url = new URL(path, "https://server");
      const verb = url.searchParams.get("watch") ? "WATCH" : method;
      requests.push(`${verb} ${url.pathname.replace(/^\/apis?\/(.*\/)?v1\/(namespaces\/default\/)?/, "")}`);
    },
  });
  running.push(manager.run(stop.signal));
  return requests;
}

/** Advances the clock, and lets both sides process what has become due. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await clock.advance(1_000);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  }
}

/** Counts equal requests, and forgets them. */
const counted = (requests: string[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(requests.splice(0), (request) => request)].map(
      ([request, { length }]) => [request, length] as const,
    ),
  );

function withoutLease(requests: string[]): Record<string, number> {
  const { "PUT leases/shop.example.com": _, ...others } = counted(requests);
  return others;
}

describe("requests of a program", () => {
  it("sends few requests at the start", async () => {
    const requests = start();
    await pass(1);
    const { "POST selfsubjectaccessreviews": reviews, ...others } = counted(requests);
    expect(reviews).toBe(10); // one for each verb
    expect(others).toEqual({
      "GET leases/shop.example.com": 1,
      "POST leases": 1,
      "WATCH sites": 1,
      "WATCH configmaps": 1,
      "POST events": 1, // about the new leader
    });
  });

  it("sends only writes for an object", async () => {
    const requests = start();
    await pass(5);
    const metadata = { namespace: "default", name: "site" };
    const site = await client.create(Site, { metadata, spec: { colour: "green" } });
    requests.length = 0;
    await pass(1);
    const { "PATCH configmaps/site": applies = 0, ...others } = withoutLease(requests);
    expect(others).toEqual({ "PATCH sites/site/status": 1, "POST events": 1 });
    // The site is new, its ConfigMap is new, its status has changed. Changes that arrive together are one reconcile.
    expect(applies >= 2 && applies <= 3, `${applies}`).toBe(true);
    await client.patch(Site, site, { metadata: { labels: { touched: "yes" } } });
    await pass(1);
    expect(withoutLease(requests)).toEqual({ "PATCH configmaps/site": 1 });
    await client.delete(Site, site);
    await pass(1);
    expect(withoutLease(requests)).toEqual({});
  });

  it("applies less often if changes of the status do not matter", async () => {
    const requests = start({}, [generationChanged]);
    await pass(5);
    requests.length = 0;
    const metadata = { namespace: "default", name: "site" };
    const site = await client.create(Site, { metadata, spec: { colour: "green" } });
    await pass(1);
    expect(withoutLease(requests)).toMatchObject({ "PATCH configmaps/site": 2 });
    await client.patch(Site, site, { metadata: { labels: { touched: "yes" } } });
    await pass(1);
    expect(withoutLease(requests)).toEqual({});
  });

  it("renews only the Lease while nothing changes", async () => {
    const requests = start();
    await client.create(Site, { metadata: { namespace: "default", name: "site" }, spec: { colour: "green" } });
    await pass(60);
    requests.length = 0;
    await pass(600);
    const { "WATCH sites": sites = 0, "WATCH configmaps": configMaps = 0, ...others } = counted(requests);
    expect(others).toEqual({ "PUT leases/shop.example.com": 300 });
    for (const watches of [sites, configMaps]) expect(watches >= 1 && watches <= 2, `${watches}`).toBe(true);
  });

  it("reads only the Lease while another replica leads", async () => {
    start();
    await pass(5);
    const requests = start();
    await pass(60);
    requests.length = 0;
    await pass(600);
    const { "GET leases/shop.example.com": reads = 0, ...others } = counted(requests);
    expect(others).toEqual({});
    expect(reads >= 136 && reads <= 300, `${reads}`).toBe(true);
  });

  it("checks its certificate and its webhook configurations", async () => {
    await client.create(Secret, { metadata: { namespace: "default", name: "certificate" } });
    const clientConfig = {
      service: { namespace: "default", name: "webhooks", path: "/mutate-shop-example-com-v1-site" },
    };
    const webhook = {
      name: "default.site.v1.shop.example.com",
      clientConfig,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      objectSelector: { matchLabels: { never: "matches" } },
      rules: [{ apiGroups: ["shop.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["sites"] }],
    };
    await client.create(MutatingWebhookConfiguration, {
      metadata: { name: "shop-mutating-webhook-configuration" },
      webhooks: [webhook],
    });
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name: "shop-validating-webhook-configuration" },
      webhooks: [],
    });
    const certificates = { secret: "default/certificate", service: "webhooks", name: "shop" };
    const requests = start({ webhooks: { host: "127.0.0.1", port: 0, certificates } });
    await pass(120);
    expect(counted(requests)).toMatchObject({ "PUT secrets/certificate": 1 });
    await pass(600);
    const { "WATCH sites": _, "WATCH configmaps": __, ...others } = counted(requests);
    expect(others).toEqual({
      "PUT leases/shop.example.com": 300,
      "GET secrets/certificate": 20,
      "GET mutatingwebhookconfigurations/shop-mutating-webhook-configuration": 60,
      "GET validatingwebhookconfigurations/shop-validating-webhook-configuration": 60,
    });
  });
});
