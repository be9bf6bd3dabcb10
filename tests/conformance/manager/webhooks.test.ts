import { defineKind, typedSchema } from "@kubewright/apimachinery";
import { controllerManagedBy } from "@kubewright/builder";
import { Client } from "@kubewright/client";
import { Environment } from "@kubewright/envtest";
import { type ManagedWebhookServer, Manager } from "@kubewright/manager";
import { admission, admissionHandler, allowed, conversion, WebhookServer } from "@kubewright/webhook";
import { expect, it, vi } from "vitest";
import { pair } from "../webhook/running-server.ts";
import { alone, memoryLock } from "./running-manager.ts";

const kind = (version: string, field: string) =>
  defineKind({
    ...{ group: "shop.example.com", version, kind: "Driver", scope: "Namespaced" },
    spec: typedSchema<Record<string, unknown>>({ type: "object", properties: { [field]: { type: "string" } } }),
  });
const [hub, spoke] = [kind("v1", "colour"), kind("v2", "color")];
const crd = {
  ...hub.crd,
  spec: {
    ...hub.crd.spec,
    versions: [...hub.crd.spec.versions, ...spoke.crd.spec.versions.map((version) => ({ ...version, storage: false }))],
  },
};

it.each([[false], [true]])(
  "MG-011 starts conversion, validator, controller and election together, with warmup: %s",
  async (enableWarmup) => {
    await using env = await Environment.start();
    const stop = new AbortController();
    const operator = new Manager({
      ...alone,
      connection: env.connection(),
      health: { bindAddress: "127.0.0.1:0" },
      leaderElection: { id: "drivers", lock: memoryLock("me") },
      webhooks: { port: 0, host: "127.0.0.1", certificates: pair },
    });
    const seen: string[] = [];
    operator.webhooks.add(
      conversion({
        hub,
        spokes: [
          {
            kind: spoke,
            toHub: ({ metadata, ...o }: { metadata: object; spec?: { color?: string } }) => ({
              metadata,
              spec: { colour: o.spec?.color },
            }),
            fromHub: ({ metadata, ...o }: { metadata: object; spec?: { colour?: string } }) => ({
              metadata,
              spec: { color: o.spec?.colour },
            }),
          },
        ],
        crd,
      }),
      admission(hub).validate({
        create: ({ spec }) => {
          if (spec.colour === "red") throw new Error("no red drivers");
        },
      }),
    );
    const running = operator.run(stop.signal);
    await vi.waitFor(() => expect(operator.webhooks.port).toBeTypeOf("number"));
    const client = new Client({ connection: env.connection() });
    for (const object of operator.webhooks.configurations({ url: `https://127.0.0.1:${operator.webhooks.port}` })) {
      if (object.kind === "CustomResourceDefinition") await env.installCrds([object]);
      else await client.create({ group: "admissionregistration.k8s.io", version: "v1", kind: object.kind }, object);
    }
    controllerManagedBy(operator)
      .for(spoke)
      .withOptions({ enableWarmup })
      .complete(async (request, { client: cached }) => {
        seen.push(`${request} ${(await cached.get(spoke, request)).spec.color}`);
      });
    await operator.elected;
    await client.create(hub, { metadata: { name: "ann", namespace: "default" }, spec: { colour: "blue" } });
    const red = client.create(hub, { metadata: { name: "bob", namespace: "default" }, spec: { colour: "red" } });
    await expect(red).rejects.toThrow("no red drivers");
    await vi.waitFor(() => expect(seen).toContain("default/ann blue"), { timeout: 10_000 });
    expect((await fetch(`http://127.0.0.1:${operator.healthPort}/readyz/webhooks`)).status).toBe(200);
    stop.abort();
    await running;
    await client.close();
  },
  60_000,
);

it("MG-054 has no webhook server until there is something to serve, then one, or the given one", () => {
  const open = (path: string) => admissionHandler(path, {}, () => allowed());
  const manager = new Manager({ ...alone, webhooks: { certificates: pair } });
  expect(manager.webhooks.server).toBeUndefined();
  expect(manager.webhooks.configurations({ url: "https://a" })).toEqual([]);
  manager.webhooks.add(open("/a"));
  const { server } = manager.webhooks;
  expect(server).toBeInstanceOf(WebhookServer);
  manager.webhooks.add(open("/b"));
  expect(manager.webhooks.server).toBe(server);

  const added: unknown[] = [];
  const custom: ManagedWebhookServer = {
    group: "webhooks",
    port: 1,
    add: (...webhooks) => void added.push(...webhooks),
    configurations: () => [],
    check: () => {},
    run: async () => {},
  };
  const other = new Manager({ ...alone, webhooks: { server: custom } });
  expect(other.webhooks.server).toBe(custom);
  const webhook = open("/a");
  other.webhooks.add(webhook);
  expect([other.webhooks.server, added]).toEqual([custom, [webhook]]);
});
