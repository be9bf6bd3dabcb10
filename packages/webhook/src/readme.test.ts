import { readFileSync } from "node:fs";
import { defineKind, typedSchema, unstructured } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { Client } from "@kubewright/client";
import { Environment } from "@kubewright/envtest";
import { expect, it } from "vitest";
import { admission, invalid, refused, WebhookServer } from "./index.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: typedSchema<{ image?: string }>({ type: "object", properties: { image: { type: "string" } } }),
});

async function serveWebhooks(client: Client, signal: AbortSignal): Promise<void> {
  const authority = new CertificateAuthority("shop-ca");
  const { certificate: cert, key } = authority.issueServer("shop", ["127.0.0.1"]);
  const certificates = { cert, key, ca: authority.certificate };

  const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates });
  server.add(
    admission(Site)
      .default((site) => {
        site.spec.image ??= "nginx";
      })
      .validate({
        create: (site, { warn }) => {
          if (site.spec.image?.endsWith(":latest")) warn("spec.image: a moving tag");
        },
        update: (site, old) => {
          if (site.spec.image !== old.spec.image) throw invalid("spec.image", site.spec.image, "is immutable");
        },
        delete: (_site, { user }) => {
          if (!user.groups.includes("ops")) throw refused("only ops deletes sites");
        },
      }),
  );
  const running = server.run(signal);
  await server.ready();
  for (const object of server.configurations({ url: `https://127.0.0.1:${server.port}` }))
    await client.create(unstructured(object), object);
  await running;
}

it("shows the code tested here", () => {
  const squeezed = (text: string) => text.replace(/\s+/g, "");
  const [, fence = ""] = /```ts\n(.*?)```/s.exec(readFileSync(new URL("../README.md", import.meta.url), "utf8")) ?? [];
  const body = fence.slice(fence.indexOf("const Site"));
  expect(body).toContain("WebhookServer");
  expect(squeezed(readFileSync(new URL(import.meta.url), "utf8"))).toContain(squeezed(body));
});

it("defaults, warns, and rejects by field and by user, as the README shows", async () => {
  await using env = await Environment.start({ crds: [Site] });
  await using admin = new Client({ connection: env.connection() });
  const warnings: string[] = [];
  const someone = { name: "ann", groups: ["dev"] };
  const operator = { name: "bob", groups: ["ops"] };
  for (const user of [someone, operator]) await env.addUser(user);
  const binding = unstructured({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding" });
  await admin.create(binding, {
    metadata: { name: "all" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [someone, operator].map(({ name }) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name })),
  });
  await using ann = new Client({ connection: env.connection("ann"), onWarning: (text) => warnings.push(text) });
  await using bob = new Client({ connection: env.connection("bob") });
  const stop = new AbortController();
  const running = serveWebhooks(admin, stop.signal);
  const configurations = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
  for (const kind of configurations)
    await expect
      .poll(() => admin.list(unstructured({ apiVersion: "admissionregistration.k8s.io/v1", kind })))
      .toHaveLength(1);

  const metadata = { namespace: "default" };
  await expect
    .poll(async () => {
      const { spec } = await ann.create(Site, { metadata: { ...metadata, generateName: "try-" }, spec: {} });
      return spec.image;
    })
    .toBe("nginx");
  await expect
    .poll(async () => {
      await ann.create(Site, { metadata: { ...metadata, generateName: "try-" }, spec: { image: "a:latest" } });
      return warnings;
    })
    .toContain("spec.image: a moving tag");

  await ann.create(Site, { metadata: { ...metadata, name: "north" }, spec: {} });
  const changed = ann.patch(Site, "default/north", { spec: { image: "apache" } });
  await expect(changed).rejects.toThrow(
    'admission webhook "validate.site.v1.shop.example.com" denied the request: Site.shop.example.com "north" is invalid: spec.image: Invalid value: "apache": is immutable',
  );
  await expect(changed).rejects.toMatchObject({ code: 422, reason: "Invalid" });
  await expect(ann.delete(Site, "default/north")).rejects.toThrow("denied the request: only ops deletes sites");
  await bob.delete(Site, "default/north");
  stop.abort();
  await running;
});
