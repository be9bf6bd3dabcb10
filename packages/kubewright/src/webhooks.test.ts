import { readFileSync } from "node:fs";
import { CertificateAuthority } from "@kubewright/certificates";
import { Environment } from "@kubewright/envtest";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { Client, defineKind, Manager, silentLogger, unstructured } from "./index.ts";
import { Pod } from "./kinds.ts";
import { admission, admissionHandler, allowed, decode, denied, invalid, patchResponseFromRaw } from "./webhooks.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({ image: Type.Optional(Type.String()), replicas: Type.Integer({ default: 1 }) }),
});

export function setup(manager: Manager): void {
  manager.webhooks.add(
    admission(Site)
      .default((site) => {
        site.spec.image ??= "nginx";
      })
      .validate({
        update: (site, old) => {
          if (site.spec.image !== old.spec.image) throw invalid("spec.image", site.spec.image, "is immutable");
        },
      }),
    admissionHandler("/pods", { rules: [{ kind: Pod, operations: ["CREATE"] }] }, ({ request }) => {
      const pod = decode(request, Pod);
      if (pod.spec.hostNetwork) return denied("no pods on the host's network");
      if (pod.metadata.labels?.shop) return allowed();
      const metadata = { ...pod.metadata, labels: { ...pod.metadata.labels, shop: "yes" } };
      return patchResponseFromRaw(pod, { ...pod, metadata });
    }),
  );
}

it("are served by a manager, which is ready when it serves them", async () => {
  await using env = await Environment.start({ crds: [Site] });
  const authority = new CertificateAuthority("shop-ca");
  const { certificate: cert, key } = authority.issueServer("shop", ["127.0.0.1"]);
  const manager = new Manager({
    connection: env.connection(),
    logger: silentLogger,
    metrics: { bindAddress: "127.0.0.1:0" },
    health: { bindAddress: "127.0.0.1:0" },
    webhooks: { port: 0, host: "127.0.0.1", certificates: { cert, key, ca: authority.certificate } },
  });
  setup(manager);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await manager.elected;
  expect((await fetch(`http://127.0.0.1:${manager.healthPort}/readyz/webhooks`)).status).toBe(200);
  await using client = new Client({ connection: env.connection() });
  for (const object of manager.webhooks.configurations({ url: `https://127.0.0.1:${manager.webhooks.port}` }))
    await client.create(unstructured(object), object);
  const site = (name: string) => ({ metadata: { name, namespace: "default" }, spec: { replicas: 1 } });
  await expect
    .poll(async () => (await client.create(Site, site(`n${performance.now()}`.replace(".", "-")))).spec.image)
    .toBe("nginx");
  await client.create(Site, site("north"));
  await expect(client.patch(Site, "default/north", { spec: { image: "a" } })).rejects.toThrow("is immutable");

  const pod = (name: string, spec: object = {}) => ({
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "a", image: "b" }], ...spec },
  });
  const account = unstructured({ apiVersion: "v1", kind: "ServiceAccount" });
  for (const namespace of ["default", "kube-system"])
    await client.create(account, { metadata: { name: "default", namespace } });
  await expect
    .poll(async () => (await client.create(Pod, pod(`p${performance.now()}`.replace(".", "-")))).metadata.labels)
    .toEqual({ shop: "yes" });
  await expect(client.create(Pod, pod("host", { hostNetwork: true }))).rejects.toThrow("no pods on the host's network");
  const system = pod("system", { hostNetwork: true });
  const own = await client.create(Pod, { ...system, metadata: { name: "system", namespace: "kube-system" } });
  expect(own.metadata.labels).toBeUndefined();

  const text = await (await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`)).text();
  for (const line of [
    /controller_runtime_webhook_requests_total\{webhook="\/pods",code="200"\} [2-9]/,
    /controller_runtime_webhook_requests_total\{webhook="\/pods",code="500"\} 0/,
    /controller_runtime_webhook_requests_in_flight\{webhook="\/pods"\} 0/,
    /controller_runtime_webhook_latency_seconds_bucket\{le="1e-8",webhook="\/pods"\} 0/,
    /controller_runtime_webhook_panics_total 0/,
    /controller_runtime_conversion_webhook_panics_total 0/,
  ])
    expect(text).toMatch(line);
  stop.abort();
  await running;
});

it("match the code in the guide", () => {
  const squeezed = (text: string) => text.replace(/\s+/g, "").replace(/,(?=[)\]}])/g, "");
  const guide = readFileSync(new URL("../../../docs/guide/webhooks.md", import.meta.url), "utf8");
  const [, fence = ""] = /```ts\n(.*?)```/s.exec(guide) ?? [];
  const body = fence.slice(fence.indexOf("const Site"));
  expect(body).toContain("manager.webhooks.add");
  expect(squeezed(readFileSync(new URL(import.meta.url), "utf8"))).toContain(squeezed(body));
});
