import { type RunningContainer, startControlPlane } from "@kubewright/controller-manager";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { localCertificates } from "@kubewright/webhook/local";
import { Client, type Manager, unstructured } from "kubewright";
import { CustomResourceDefinition, Deployment, Namespace, Secret, Service } from "kubewright/kinds";
import { describe, expect, it } from "vitest";
import { program, Site } from "./webhooks/program.ts";

const quiet = { metrics: { bindAddress: "0" }, logger: silentLogger } as const;

/** Runs the manager until it is disposed. */
function running(manager: Manager) {
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

async function expectWebhookCalled(client: Client): Promise<void> {
  const metadata = { name: "north", namespace: "default" };
  const made = () => client.create(Site, { metadata, spec: { replicas: 1 } }, { dryRun: true });
  await expect.poll(async () => (await made().catch(() => undefined))?.spec.image, { timeout: 30_000 }).toBe("nginx");
  const site = await client.create(Site, { metadata, spec: { replicas: 1 } });
  await expect(client.patch(Site, site, { spec: { image: "httpd" } })).rejects.toThrow(
    'spec.image: Invalid value: "httpd": is immutable',
  );
}

async function install(client: Client, manager: Manager, target: Parameters<Manager["webhooks"]["configurations"]>[0]) {
  await client.create(CustomResourceDefinition, Site.crd);
  for (const object of manager.webhooks.configurations(target))
    await client.apply(unstructured(object), object, { fieldOwner: "shop", force: true });
}

describe("one program with a defaulter and a validator", () => {
  it("runs in a test environment", async () => {
    await using env = await Environment.start({ crds: [Site] });
    const manager = program({ connection: env.connection(), webhooks: env.webhookOptions(), ...quiet });
    await using _running = running(manager);
    await env.serve(manager);
    await using client = new Client({ connection: env.connection() });
    await expectWebhookCalled(client);
  });

  it("runs next to a control plane, called by URL", async () => {
    await using plane = await startControlPlane({ logger: silentLogger });
    const [host, connection] = ["127.0.0.1", plane.connection()];
    const certificates = localCertificates({ hosts: [host] });
    const manager = program({ connection, webhooks: { host, port: 0, certificates }, ...quiet });
    await using _running = running(manager);
    await expect.poll(() => manager.webhooks.port).toBeGreaterThan(0);
    await using client = new Client({ connection });
    await install(client, manager, { url: `https://${host}:${manager.webhooks.port}` });
    await expectWebhookCalled(client);
  });

  it("runs as a Deployment behind a Service, with a certificate that it issues itself", async () => {
    const [namespace, name] = ["shop-system", "shop"];
    const certificates = { secret: "shop-system/webhook-server-cert", times: { intervalMs: 200 } };
    await using plane = await startControlPlane({
      logger: silentLogger,
      images: {
        "example/shop": async ({ ip: host }): Promise<RunningContainer> => {
          const stop = new AbortController();
          const manager = program({ connection: plane.connection(), webhooks: { host, certificates }, ...quiet });
          const exited = manager.run(stop.signal).then(
            () => 0,
            () => 1,
          );
          return {
            exited,
            stop: async () => {
              stop.abort();
              await exited;
            },
          };
        },
      },
    });
    await using client = new Client({ connection: plane.connection() });
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.create(Secret, { metadata: { namespace, name: "webhook-server-cert" } });
    const service = { namespace, name: "webhook-service" };
    const labels = { app: name };
    await client.create(Service, {
      metadata: service,
      spec: { selector: labels, ports: [{ port: 443, targetPort: 9443 }] },
    });
    const containers = [{ name, image: "example/shop:1", ports: [{ name: "hooks", containerPort: 9443 }] }];
    await client.create(Deployment, {
      metadata: { namespace, name },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await install(client, program({ connection: plane.connection(), ...quiet }), { service });
    await expectWebhookCalled(client);
  });
});
