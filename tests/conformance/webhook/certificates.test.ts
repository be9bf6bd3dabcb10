import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineKind, spoke, typedSchema, unstructured, versions } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { Client } from "@kubewright/client";
import { Namespace, Secret, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { admission, conversion, type WebhookListenOptions } from "@kubewright/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Site } from "./shop.ts";

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

const webhooks = () => [
  admission(Site).validate({
    create: (site) => {
      if (site.spec.replicas === 13) throw new Error("13 brings bad luck");
    },
  }),
  conversion(Stall),
];

/** Runs a manager until it is disposed. */
function running(env: Environment, options: WebhookListenOptions) {
  const manager = new Manager({
    connection: env.connection(),
    webhooks: { port: 0, host: "127.0.0.1", ...options },
    metrics: { bindAddress: "0" },
    logger: silentLogger,
  });
  manager.webhooks.add(...webhooks());
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  return {
    manager,
    run,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

describe("certificates that a manager keeps in a Secret", () => {
  let env: Environment;
  let client: Client;
  const site = (replicas: number) => ({
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { name: `s${replicas}`, namespace: "default" },
    spec: { replicas },
  });
  const refused = (replicas: number) => client.create(Site, site(replicas), { dryRun: true }).then(() => "", String);
  const bundle = async () => {
    const configuration = await client.get(ValidatingWebhookConfiguration, "shop-validating-webhook-configuration");
    return configuration.webhooks?.[0]?.clientConfig.caBundle ?? "";
  };

  beforeAll(async () => {
    env = await Environment.start({ crds: [Site, Stall] });
    client = new Client({ connection: env.connection() });
    await client.create(Namespace, { metadata: { name: "shop-system" } });
    await client.create(Secret, { metadata: { name: "cert", namespace: "shop-system" } });
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });

  it("are issued, written to every derived configuration, and restored after any change", async () => {
    const certificates = {
      secret: "shop-system/cert",
      name: "shop",
      dnsNames: ["127.0.0.1"],
      times: { intervalMs: 100 },
    } as const;
    await using program = running(env, { certificates });
    await expect.poll(() => program.manager.webhooks.port).toBeGreaterThan(0);
    const url = `https://127.0.0.1:${program.manager.webhooks.port}`;
    for (const { metadata, ...object } of program.manager.webhooks.configurations({ url, name: "shop" }))
      await client.apply(
        unstructured(object),
        { metadata, ...withoutBundle(object) },
        { force: true, fieldOwner: "shop" },
      );

    await expect.poll(() => refused(13), { timeout: 15_000 }).toContain("13 brings bad luck");
    expect(await refused(12)).toBe("");
    const metadata = { name: "north", namespace: "default" };
    const beta = { apiVersion: "shop.example.com/v1beta1", kind: "Stall", metadata, spec: { goods: "eggs" } };
    const made = () => client.create(old, beta, { dryRun: true }).then(({ spec }) => spec.goods, String);
    await expect.poll(made, { timeout: 15_000 }).toBe("eggs");

    const good = await bundle();
    const name = "shop-validating-webhook-configuration";
    const other = Buffer.from(new CertificateAuthority("other").certificate).toString("base64");
    const edit = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value: other }] as const;
    await client.patch(ValidatingWebhookConfiguration, name, edit, { type: "json" });
    await expect.poll(bundle, { timeout: 15_000 }).toBe(good);

    const emptied = [{ op: "remove", path: "/data" }] as const;
    await client.patch(Secret, "shop-system/cert", emptied, { type: "json" });
    await expect
      .poll(async () => Object.keys((await client.get(Secret, "shop-system/cert")).data ?? {}), { timeout: 15_000 })
      .toContain("tls.crt");
    expect(await refused(13)).toContain("13 brings bad luck");
    await program.manager.webhooks.server?.check();
  });

  it("are awaited if the Secret does not exist, and readiness explains how to create it", async () => {
    await using program = running(env, { certificates: { secret: "shop-system/none" } });
    await expect
      .poll(async () => Promise.resolve(program.manager.webhooks.server?.check()).then(() => "", String))
      .toContain(
        "the Secret shop-system/none for the certificate does not exist; create an empty one (kubectl create secret",
      );
    expect(program.manager.webhooks.port).toBeUndefined();
  });
});

describe("certificates that a manager reads from a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "certs-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are served once they exist, and a program without any ends with the file's name", async () => {
    await using env = await Environment.start({ crds: [Site, Stall] });
    const certificates = { dir: folder };
    const without = running(env, { certificates });
    await expect(without.run).rejects.toThrow(`cannot read ${join(folder, "tls.crt")}: ENOENT`);

    const authority = new CertificateAuthority("mounted");
    const { certificate, key } = authority.issueServer("webhooks", ["127.0.0.1"]);
    for (const [file, pem] of Object.entries({
      "tls.crt": certificate,
      "tls.key": key,
      "ca.crt": authority.certificate,
    }))
      writeFileSync(join(folder, file), pem);
    await using program = running(env, { certificates });
    await env.serve(program.manager);
    await using client = new Client({ connection: env.connection() });
    const metadata = { name: "s13", namespace: "default" };
    await expect(client.create(Site, { metadata, spec: { replicas: 13 } })).rejects.toThrow("13 brings bad luck");
  });
});

/** Returns an object without its bundle, as in a manifest whose bundle is managed by others. */
function withoutBundle(object: object): object {
  return JSON.parse(JSON.stringify(object, (key, value) => (key === "caBundle" ? undefined : value))) as object;
}
