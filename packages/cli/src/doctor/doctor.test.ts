import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstructured } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { Client } from "@kubewright/client";
import {
  CustomResourceDefinition,
  EndpointSlice,
  Pod,
  Secret,
  Service,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { type ControlPlane, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const crd = "sites.shop.example.com";
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
const day = 24 * 3_600_000;
const base64 = (pem: string) => Buffer.from(pem).toString("base64");

let plane: ControlPlane;
let client: Client;
let project: ProjectFolder;
const doctor = (...words: string[]) => project.run("doctor", "--kubeconfig", "kubeconfig", ...words);

interface Found {
  readonly check: string;
  readonly where: string;
  readonly what: string;
  readonly remedy: string;
}

/** Findings of one check, as `where: what`. */
async function found(check: string, ...words: string[]): Promise<string[]> {
  const { out, err } = await doctor("--json", ...words);
  expect(err).toBe("");
  const { items }: { items: Found[] } = JSON.parse(out);
  return items.filter((item) => item.check === check).map(({ where, what }) => `${where}: ${what}`);
}

beforeAll(async () => {
  plane = await startControlPlane({});
  client = new Client({ connection: plane.connection() });
  project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
}, 120_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
  project?.[Symbol.dispose]();
});

it("finds definitions that are missing or different, or have objects in an old version", async () => {
  expect(await doctor()).toEqual({
    code: 1,
    out: `customresourcedefinitions/${crd}: is not installed\n  npx kubewright install\n`,
    err: "",
  });
  await project.run("install", "--kubeconfig", "kubeconfig");
  expect(await doctor()).toEqual({ code: 0, out: "no problems found\n", err: "" });

  const { spec } = await client.get(CustomResourceDefinition, crd);
  const [version] = spec.versions;
  if (!version) throw new Error("there is no version");
  const older = { ...version, name: "v1beta1", storage: false };
  await client.patch(CustomResourceDefinition, crd, { spec: { versions: [version, older] } });
  await client.status.patch(CustomResourceDefinition, crd, { storedVersions: ["v1beta1", "v1"] });
  expect(await found("definitions")).toEqual([
    `customresourcedefinitions/${crd}: may have objects stored as v1beta1, although the storage version is v1`,
    expect.stringMatching(/: differs from the program's CRD and cannot be updated: .*missing from spec\.versions/),
  ]);
  await client.status.patch(CustomResourceDefinition, crd, { storedVersions: ["v1"] });
  expect(await found("definitions")).toEqual([`customresourcedefinitions/${crd}: differs from the program's CRD`]);
  await client.patch(CustomResourceDefinition, crd, { spec: { versions: [version] } });
  expect(await found("definitions")).toEqual([]);
}, 120_000);

it("finds stuck objects, the owner of their finalizer, and whether its program runs", async () => {
  const finalizers = ["shop.example.com/cleanup", "example.org/other"];
  const metadata = { name: "north", namespace: "default", finalizers };
  await client.create(Site, { metadata, spec: { message: "hello" } });
  expect(await found("finalizers", "--stuck-after", "0s")).toEqual([]);
  await client.delete(Site, "default/north");
  expect(await found("finalizers")).toEqual([]);
  await expect
    .poll(() => found("finalizers", "--stuck-after", "0s"), { timeout: 20_000 })
    .toEqual([
      `${crd}/north in default: was deleted 0 minutes ago and is waiting for the finalizer shop.example.com/cleanup: shop is not running`,
      `${crd}/north in default: was deleted 0 minutes ago and is waiting for the finalizer example.org/other: another program added this finalizer`,
    ]);
  await client.create(unstructured({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" }), {
    metadata: { name: "shop.example.com", namespace: "default" },
    spec: {
      holderIdentity: "laptop",
      renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
      leaseDurationSeconds: 3_600,
    },
  });
  const { out, code } = await doctor("--stuck-after", "0s");
  expect(out).toContain("cleanup: laptop holds the Lease default/shop.example.com\n  check its log");

  // Running the printed command fixes it.
  const [, patch = ""] = /kubectl patch sites\S+ north -n default --type=json -p '(\[.*?\])'/.exec(out) ?? [];
  await client.patch(Site, "default/north", JSON.parse(patch), { type: "json" });
  expect((await client.get(Site, "default/north")).metadata.finalizers).toEqual(["example.org/other"]);
  await client.patch(Site, "default/north", { metadata: { finalizers: null } });
  expect([code, await found("finalizers", "--stuck-after", "0s")]).toEqual([1, []]);
  expect(await doctor("--stuck-after", "soon")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--stuck-after"),
  });
}, 120_000);

it("finds unreachable webhooks, and certificates that are untrusted or expire soon", async () => {
  const authority = new CertificateAuthority("ca");
  const stranger = new CertificateAuthority("stranger");
  const expiring = new CertificateAuthority("ending", undefined, { lifetimeMs: 3 * day + 60_000 });
  const over = new CertificateAuthority("over", undefined, {
    lifetimeMs: day,
    nowMs: () => Date.now() - 4 * day - 60_000,
  });
  const rules = [
    { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] },
  ];
  const webhook = (name: string, clientConfig: object) => ({
    ...{ name: `${name}.shop.example.com`, rules, clientConfig, sideEffects: "None", admissionReviewVersions: ["v1"] },
    failurePolicy: name === "ignored" ? "Ignore" : "Fail",
  });
  const service = (name: string, ca?: CertificateAuthority) => ({
    service: { namespace: "default", name },
    ...(ca ? { caBundle: base64(ca.certificate) } : {}),
  });
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "shop" },
    webhooks: [
      webhook("gone", service("gone", authority)),
      webhook("ignored", service("empty", authority)),
      webhook("bare", service("served")),
      webhook("wrong", service("served", stranger)),
      webhook("good", service("served", authority)),
      webhook("url", { url: "https://127.0.0.1:1/validate", caBundle: base64(expiring.certificate) }),
      webhook("over", { url: "https://127.0.0.1:1/validate", caBundle: base64(over.certificate) }),
      webhook("served", { url: `${plane.url}/validate`, caBundle: base64(stranger.certificate) }),
    ],
  });
  const { certificate, key } = authority.issueServer("served", ["served.default.svc"]);
  await client.create(Secret, {
    metadata: { name: "webhook-server-cert", namespace: "default" },
    data: { "tls.crt": base64(certificate), "tls.key": base64(key) },
  });
  for (const name of ["empty", "served"])
    await client.create(Service, { metadata: { name, namespace: "default" }, spec: { ports: [{ port: 443 }] } });
  await client.create(EndpointSlice, {
    metadata: { name: "served", namespace: "default", labels: { "kubernetes.io/service-name": "served" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"] }],
    ports: [],
  });
  const refused = "requests fail";
  const of = (name: string, text: string) =>
    `validatingwebhookconfigurations/shop: webhook ${name}.shop.example.com: ${text}`;
  const all = await found("webhooks");
  expect(all).toEqual([
    of("gone", `the service default/gone does not exist; ${refused}`),
    of("ignored", "the service default/empty has no ready endpoint; requests skip the webhook"),
    of("bare", `it has no caBundle, without which API servers trust no certificate; ${refused}`),
    of("wrong", `its caBundle does not trust the certificate in secret default/webhook-server-cert; ${refused}`),
    of("url", `connect ECONNREFUSED 127.0.0.1:1; ${refused}`),
    of("url", "its caBundle expires in 3 days"),
    of("over", `connect ECONNREFUSED 127.0.0.1:1; ${refused}`),
    of("over", "its caBundle expired 3 days ago"),
    expect.stringMatching(/webhook served\.shop\.example\.com: .*certificate.*; requests fail$/),
  ]);
  await client.delete(ValidatingWebhookConfiguration, "shop");
  expect(await found("webhooks")).toEqual([]);
}, 120_000);

it("counts a pod on loopback as an endpoint once it is ready", async () => {
  const authority = new CertificateAuthority("ca");
  const webhook = {
    name: "local.shop.example.com",
    clientConfig: { service: { namespace: "default", name: "local" }, caBundle: base64(authority.certificate) },
    rules: [],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const { certificate, key } = authority.issueServer("local", ["local.default.svc"]);
  const data = { "tls.crt": base64(certificate), "tls.key": base64(key) };
  await client.patch(Secret, "default/webhook-server-cert", { data });
  await client.create(ValidatingWebhookConfiguration, { metadata: { name: "local" }, webhooks: [webhook] });
  const labels = { app: "local" };
  const spec = { selector: labels, ports: [{ port: 443 }] };
  await client.create(Service, { metadata: { name: "local", namespace: "default" }, spec });
  const pod = { namespace: "default", name: "local" };
  const containers = [{ name: "manager", image: "local" }];
  // The scheduler does not act on this pod, which keeps the status set here.
  await client.create(Pod, { metadata: { ...pod, labels }, spec: { schedulerName: "nobody", containers } });
  const podAt = (podIP: string, status: string) =>
    client.status.patch(Pod, pod, { podIP, podIPs: [{ ip: podIP }], conditions: [{ type: "Ready", status }] });
  const none = [
    "validatingwebhookconfigurations/local: webhook local.shop.example.com: the service default/local has no ready endpoint; requests fail",
  ];
  expect(await found("webhooks")).toEqual(none);
  await podAt("127.0.0.9", "False");
  expect(await found("webhooks")).toEqual(none);
  await podAt("127.0.0.9", "True");
  expect(await found("webhooks")).toEqual([]);
  await client.patch(Service, "default/local", { spec: { selector: { app: "other" } } });
  expect(await found("webhooks")).toEqual(none);
  await client.delete(ValidatingWebhookConfiguration, "local");
}, 120_000);

it("removes with --fix only what dev left", async () => {
  const session = (name: string, seen: string) =>
    client.create(ValidatingWebhookConfiguration, {
      metadata: {
        name,
        labels: { "kubewright.dev/local-session": "shop-jane" },
        annotations: { "kubewright.dev/local-session-seen": seen },
      },
    });
  await session("left", "2020-01-01T00:00:00Z");
  await session("alive", new Date().toISOString());
  const what = "validatingwebhookconfigurations/left: was left behind by a session of kubewright dev (shop-jane)\n";
  expect(await doctor()).toEqual({
    code: 1,
    out: `${what}  kubectl delete validatingwebhookconfigurations/left   (or run with --fix)\n`,
    err: expect.stringMatching(
      /^validatingwebhookconfigurations\/alive: belongs to a session of kubewright dev \(shop-jane\) .*run with --fix in \d+ s, .*kubectl delete validatingwebhookconfigurations\/alive\n$/,
    ),
  });
  expect(await doctor("--fix")).toMatchObject({ code: 0, out: expect.stringContaining(`${what}  fixed\n`) });
  expect((await client.list(ValidatingWebhookConfiguration)).map(({ metadata }) => metadata.name)).toEqual(["alive"]);
  expect((await doctor()).code).toBe(0);
}, 120_000);

it("exits with 3 without a cluster, and with 2 outside a project", async () => {
  writeFileSync(join(project.root, "nobody"), plane.kubeconfig.replace(/server: .*/, "server: https://127.0.0.1:1"));
  expect((await project.run("doctor", "--kubeconfig", "nobody")).code).toBe(3);
  using empty = new ProjectFolder();
  expect((await empty.run("doctor")).code).toBe(2);
}, 120_000);
