import { readFileSync } from "node:fs";
import { Environment } from "@kubewright/envtest";
import { Type } from "typebox";
import { expect, it, vi } from "vitest";
import {
  asReconciler,
  Client,
  type ConnectionSettings,
  controllerManagedBy,
  controllerReference,
  defineKind,
  enqueueRequestsFromMapFunc,
  keyOf,
  Manager,
} from "./index.ts";
import { ConfigMap, Deployment } from "./kinds.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({
    image: Type.String(),
    config: Type.Optional(Type.String()),
    replicas: Type.Integer({ default: 1 }),
  }),
  status: Type.Object({ readyReplicas: Type.Optional(Type.Integer()) }),
});

async function main(connection: ConnectionSettings | undefined, signal: AbortSignal): Promise<void> {
  const manager = new Manager({ connection, fieldOwner: "site-controller", metrics: { bindAddress: "0" } });
  const toSites = enqueueRequestsFromMapFunc<ConfigMap>(async ({ metadata: { namespace, name } }, { client }) =>
    (await client.list(Site, { namespace, fields: { "spec.config": name } })).map(keyOf),
  );
  const reconcile = asReconciler(Site, async (site, { client, log, causes }) => {
    const { name, namespace } = site.metadata;
    const metadata = { name, namespace, ownerReferences: [controllerReference(site)] };
    const labels = { site: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } };
    const spec = { replicas: site.spec.replicas, selector: { matchLabels: labels }, template };
    const deployment = await client.apply(Deployment, { metadata, spec }, { force: true });
    await client.status.patch(Site, site, { readyReplicas: deployment.status?.readyReplicas ?? 0 });
    log.debug({ causes }, "reconciled");
  });
  controllerManagedBy(manager)
    .for(Site, { indexes: { "spec.config": (site) => [site.spec.config ?? ""] } })
    .owns(Deployment)
    .watches(ConfigMap, toSites)
    .complete(reconcile);
  await manager.run(signal);
}

it("keeps a Deployment for each Site, like the README's example", async () => {
  await using env = await Environment.start({ crds: [Site] });
  const stop = new AbortController();
  const running = main(env.connection(), stop.signal);
  const client = new Client({ connection: env.connection() });
  await client.create(Site, {
    metadata: { name: "shop", namespace: "default" },
    spec: { image: "nginx", replicas: 2 },
  });
  await vi.waitFor(async () => expect((await client.get(Deployment, "default/shop")).spec.replicas).toBe(2), {
    timeout: 10_000,
    interval: 50,
  });
  await client.patch(Site, "default/shop", { spec: { replicas: 3 } });
  await vi.waitFor(async () => expect((await client.get(Deployment, "default/shop")).spec.replicas).toBe(3), {
    timeout: 10_000,
    interval: 50,
  });
  stop.abort();
  await running;
  await client.close();
});

it("contains the code tested here", () => {
  const squeezed = (text: string) => text.replace(/\s+/g, "");
  const [, fence = ""] = /```ts\n(.*?)```/s.exec(readFileSync(new URL("../README.md", import.meta.url), "utf8")) ?? [];
  const body = fence.slice(fence.indexOf("defineKind({")).replaceAll("export ", "");
  expect(squeezed(readFileSync(new URL(import.meta.url), "utf8"))).toContain(squeezed(body));
});
