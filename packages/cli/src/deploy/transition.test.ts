import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNotFound } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition, Deployment, Pod, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { type ControlPlane, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const configuration = "shop-validating-webhook-configuration";
const of = (kind: string, version: string) => ["--group", "shop", "--version", version, "--kind", kind];
const manager = { namespace: "shop-system", name: "shop-controller-manager" };
const image = ["--image", "registry.example.com/shop:v1"];

let plane: ControlPlane;
let client: Client;
let [earlier, later]: ProjectFolder[] = [];
const run = async (project: ProjectFolder | undefined, ...words: string[]) =>
  (await project?.run(...words, "--kubeconfig", "kubeconfig")) ?? expect.unreachable();
const names = async () =>
  (await client.get(ValidatingWebhookConfiguration, configuration)).webhooks?.map(({ name }) => name);

/** Revisions of a program whose simulated pods are ready at once. */
async function revision(version: string, ...kinds: string[]): Promise<ProjectFolder> {
  const project = new ProjectFolder();
  await project.init();
  for (const kind of kinds) {
    await project.run("create", "api", ...of(kind, version));
    await project.run("create", "webhook", ...of(kind, version), "--validation");
  }
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  return project;
}

/** Field ownership that the injector of earlier versions left, which made the next deployment fail. */
async function injectAsBefore(): Promise<void> {
  const webhooks = (await names())?.map((name) => ({ name, clientConfig: { caBundle: "Y2E=" } })) ?? [];
  await client.apply(
    ValidatingWebhookConfiguration,
    { metadata: { name: configuration }, webhooks },
    { fieldOwner: "kubewright-ca-injector" },
  );
}

async function deleteDefinition(): Promise<void> {
  const crd = "sites.shop.example.com";
  await client.delete(CustomResourceDefinition, crd);
  const isGone = () => client.get(CustomResourceDefinition, crd).then(() => false, isNotFound);
  await expect.poll(isGone, { timeout: 10_000 }).toBe(true);
}

beforeAll(async () => {
  plane = await startControlPlane({});
  client = new Client({ connection: plane.connection() });
  [earlier, later] = [await revision("v1alpha1", "Site", "Pool"), await revision("v1", "Site")];
}, 300_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
  for (const one of [earlier, later]) one?.[Symbol.dispose]();
});

it("removes webhooks that the new revision cannot serve, reports for how long, and leaves the rest to the leader", async () => {
  expect((await run(earlier, "deploy", ...image)).code).toBe(0);
  await injectAsBefore();
  const checked = await run(later, "check", "--against", "cluster");
  expect([checked.code, checked.out]).toEqual([1, ""]);
  expect(checked.err).toContain(
    "validate.site.v1alpha1.shop.example.com: is called for sites.shop.example.com, but the new program cannot serve this webhook: kubewright deploy removes the webhook before it replaces the pods, so writes skip the webhook in the meantime; ",
  );
  expect(checked.err).toContain(
    "validate.pool.v1alpha1.shop.example.com: is no longer declared: the program's pods serve it until the leader removes it\n",
  );
  const same = await run(earlier, "check", "--against", "cluster");
  expect([same.code, same.err]).toEqual([0, ""]);

  // An API server does not let a stored version be removed.
  const refused = await run(later, "deploy", ...image, "--timeout", "15s");
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("status.storedVersions")]);
  expect(await names()).toHaveLength(2);

  await deleteDefinition();
  const { code, err, out } = await run(later, "deploy", ...image, "--timeout", "15s");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(
    /^webhook validate\.site\.v1alpha1\.shop\.example\.com was removed before the pods were replaced, because the new pods cannot serve it\. Writes of sites\.shop\.example\.com skipped this webhook for \d+ s$/m,
  );
  expect(out).toContain(
    "webhook validate.pool.v1alpha1.shop.example.com is still called; the program's leader will remove it once all pods run the same revision\n",
  );
  expect(await names()).toEqual(["validate.site.v1.shop.example.com", "validate.pool.v1alpha1.shop.example.com"]);
  expect((await run(later, "doctor")).out).toContain(
    `validatingwebhookconfigurations/${configuration}: webhook validate.pool.v1alpha1.shop.example.com calls /validate-shop-example-com-v1alpha1-pool, which the program does not declare\n  npx kubewright deploy: the leader removes`,
  );
  const { metadata } = await client.get(ValidatingWebhookConfiguration, configuration);
  expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain("kubewright-ca-injector");
}, 120_000);

it("changes no webhook while a pod of the earlier revision exists", async () => {
  const before = await names();
  const key = manager;
  const { spec } = await client.get(Deployment, key);
  const labels = { ...spec.selector.matchLabels, "pod-template-hash": "earlier" };
  await deleteDefinition();
  await client.create(Pod, {
    metadata: { name: "old", namespace: key.namespace, labels, finalizers: ["example.com/stays"] },
    spec: { containers: [{ name: "manager", image: "example/shop" }] },
  });
  await client.delete(Pod, { namespace: key.namespace, name: "old" });
  const { code, err } = await run(earlier, "deploy", ...image, "--timeout", "8s");
  expect(code).toBe(1);
  expect(err).toContain("deployment/shop-controller-manager: pods of the earlier revision did not terminate in time; ");
  // The webhook that the new revision cannot serve was removed, and none was added.
  expect(await names()).toEqual(before?.filter((name) => !name.startsWith("validate.site")));
  await client.patch(Pod, { namespace: key.namespace, name: "old" }, { metadata: { finalizers: null } });
}, 120_000);

it("deploys without transition if no pods run, whatever an injector owned", async () => {
  await client.delete(Deployment, manager);
  await deleteDefinition();
  await injectAsBefore();
  const { code, err } = await run(later, "deploy", ...image, "--timeout", "20s");
  expect([code, err]).toEqual([0, ""]);
  expect(await names()).toEqual(["validate.site.v1.shop.example.com"]);
}, 120_000);
