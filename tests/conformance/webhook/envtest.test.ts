import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineKind, spoke, typedSchema, versions } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { Client } from "@kubewright/client";
import { ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { admission, conversion, invalid, type Webhook } from "@kubewright/webhook";
import { afterAll, describe, expect, it } from "vitest";
import { Site, siteObject } from "./shop.ts";

const quiet = { metrics: { bindAddress: "0" }, logger: silentLogger } as const;

/** Runs a manager until it is disposed. */
function running(env: Environment, webhooks: readonly Webhook[], options: ManagerOptions = {}) {
  const manager = new Manager({ connection: env.connection(), webhooks: env.webhookOptions(), ...quiet, ...options });
  manager.webhooks.add(...webhooks);
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  return {
    manager,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

const imaged = admission(Site)
  .default((site) => {
    site.spec.image ??= "nginx";
  })
  .validate({
    create: (site) => {
      if (site.spec.replicas === 13) throw invalid("spec.replicas", 13, "brings bad luck");
    },
  });

const inDefault = (name: string, spec: object) => ({
  ...siteObject({ ...spec }),
  metadata: { name, namespace: "default" },
});

/** Returns a configuration like a scaffold's: it refers to a Service that no test environment has. */
const configuration = (name: string, path: string) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: name.startsWith("mutating") ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
  metadata: { name },
  webhooks: [
    {
      name: `${name}.shop.example.com`,
      clientConfig: { service: { namespace: "system", name: "webhook-service", path } },
      rules: [{ apiGroups: ["shop.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["sites"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
});
const mutating = configuration("mutating", "/mutate-shop-example-com-v1-site");
const validating = configuration("validating", "/validate-shop-example-com-v1-site");

const folder = mkdtempSync(join(tmpdir(), "webhooks-"));
const manifests = join(folder, "manifests.yaml");
mkdirSync(join(folder, "dir"));
const yaml = [mutating, validating].map((each) => JSON.stringify(each)).join("\n---\n");
writeFileSync(manifests, yaml);
writeFileSync(join(folder, "dir", "a.json"), JSON.stringify(mutating));
writeFileSync(join(folder, "dir", "b.yaml"), `kind: Service\n---\n${JSON.stringify(validating)}\n`);
writeFileSync(join(folder, "dir", "notes.txt"), "not read");
afterAll(() => rmSync(folder, { recursive: true }));

async function expectWebhookCalled(env: Environment): Promise<void> {
  await using client = new Client({ connection: env.connection() });
  expect((await client.create(Site, inDefault("plain", {}))).spec.image).toBe("nginx");
  await expect(client.create(Site, inDefault("unlucky", { replicas: 13 }))).rejects.toThrow("brings bad luck");
}

describe.each([
  ["a test environment", {}],
  ["a test environment without sockets", { inProcess: true }],
] as const)("%s", (_title, inProcess) => {
  it.each([
    ["from a directory", [join(folder, "dir")]],
    ["from files", [manifests]],
    ["from objects", [mutating, validating]],
  ])("WH-048 loads webhooks %s, and makes the server call the local one", async (_how, webhooks) => {
    await using env = await Environment.start({ ...inProcess, crds: [Site], webhooks });
    await using _program = running(env, [imaged]);
    if ("inProcess" in inProcess) await env.serve(_program.manager);
    else await expect.poll(() => _program.manager.webhooks.port).toBe(env.webhookOptions().port);
    await expectWebhookCalled(env);
  });

  it("WH-048 names the webhooks that it cannot load", async () => {
    await expect(Environment.start({ webhooks: ["/no/such"] })).rejects.toThrow(
      "no webhook configurations found at /no/such: no such file or folder",
    );
    await expect(Environment.start({ webhooks: [{ kind: "Pod" }] })).rejects.toThrow(
      'not a webhook configuration: {"kind":"Pod"}',
    );
  });

  it("makes the API server call the program's webhooks until the end", async () => {
    await using env = await Environment.start({ ...inProcess, crds: [Site] });
    await using client = new Client({ connection: env.connection() });
    await using program = running(env, [imaged]);
    {
      await using _served = await env.serve(program.manager);
      await expectWebhookCalled(env);
    }
    const names = (await client.list(ValidatingWebhookConfiguration)).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith("kubewright") || name.startsWith("envtest"))).toEqual([]);
  });

  it("lets the program convert the versions of a kind, even if its definition existed before", async () => {
    const shared = { group: "shop.example.com", kind: "Stall", scope: "Namespaced" } as const;
    const text = { type: "string" };
    const hub = defineKind({
      ...shared,
      version: "v1",
      spec: typedSchema<{ wares: string }>({ type: "object", properties: { wares: text } }),
    });
    const old = defineKind({
      ...shared,
      version: "v1beta1",
      spec: typedSchema<{ goods: string }>({ type: "object", properties: { goods: text } }),
    });
    const Stall = versions(hub, {
      spokes: [
        spoke(old, {
          toHub: ({ spec }) => ({ spec: { wares: spec.goods } }),
          fromHub: ({ spec }) => ({ spec: { goods: spec.wares } }),
        }),
      ],
    });
    await using env = await Environment.start({ ...inProcess, crds: [Stall] });
    await using program = running(env, [conversion(Stall)]);
    await env.serve(program.manager);

    await using client = new Client({ connection: env.connection() });
    const metadata = { name: "north", namespace: "default" };
    await client.create(old, {
      apiVersion: "shop.example.com/v1beta1",
      kind: "Stall",
      metadata,
      spec: { goods: "eggs" },
    });
    expect((await client.get(hub, metadata)).spec).toEqual({ wares: "eggs" });
    expect((await client.list(old)).map(({ spec }) => spec)).toEqual([{ goods: "eggs" }]);
  });

  it("explains what to do if nothing listens", async () => {
    await using env = await Environment.start(inProcess);
    const idle = new Manager({ connection: env.connection(), webhooks: env.webhookOptions(), ...quiet });
    await expect(env.serve(idle, { timeoutMs: 50 })).rejects.toThrow(
      "create the program with `webhooks: env.webhookOptions()` and run it before serve(); the program is not listening after 50 ms",
    );
  });
});

describe("a test environment with sockets", () => {
  it("reports why the API server cannot connect, and removes the configurations", async () => {
    const { certificate: cert, key } = new CertificateAuthority("other").issueServer("webhooks", ["127.0.0.1"]);
    await using env = await Environment.start({ crds: [Site] });
    const { port, host } = env.webhookOptions();
    await using program = running(env, [imaged], { webhooks: { port, host, certificates: { cert, key } } });
    await expect(env.serve(program.manager)).rejects.toThrow(
      /^the API server cannot reach https:\/\/127.0.0.1:\d+: .*x509: /,
    );
    await using client = new Client({ connection: env.connection() });
    expect((await client.create(Site, inDefault("plain", {}))).spec.image).toBeUndefined();
  });
});

describe("a test environment without sockets", () => {
  it("reports webhooks that have stopped, and does not call them after that", async () => {
    await using env = await Environment.start({ inProcess: true, crds: [Site] });
    await using client = new Client({ connection: env.connection() });
    {
      await using program = running(env, [imaged]);
      await env.serve(program.manager);
      expect(program.manager.webhooks.port).toBeUndefined();
    }
    await expect(client.create(Site, inDefault("late", {}))).rejects.toThrow(
      /Post "https:\/\/webhooks-1.in-process.invalid\/.*": connect: connection refused/,
    );
  });
});
