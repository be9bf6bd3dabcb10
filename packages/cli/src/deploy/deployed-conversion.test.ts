import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNotFound, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition, Deployment, Pod } from "@kubewright/client/kinds";
import { inlineImage } from "@kubewright/codegen";
import { type ControlPlane, processImage, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const crd = "sites.shop.example.com";
const of = (version: string) => ["--group", "shop", "--version", version, "--kind", "Site"];
const siteAt = (version: string) => unstructured({ apiVersion: `shop.example.com/${version}`, kind: "Site" });
const manager = { namespace: "shop-system", name: "shop-controller-manager" };

let plane: ControlPlane;
let client: Client;
let project: ProjectFolder;
const run = (...words: string[]) => project.run(...words, "--kubeconfig", "kubeconfig");
const deploy = async () => expect(await run("deploy", "--inline")).toMatchObject({ code: 0, err: "" });
const isGone = async (asked: Promise<unknown>): Promise<boolean> => asked.then(() => false, isNotFound);
const messageAt = async (version: string) => (await client.get(siteAt(version), "default/a")).spec;

/** A program with webhooks and a conversion, which runs as a process of the control plane. */
beforeAll(async () => {
  plane = await startControlPlane({ images: { [inlineImage]: processImage() } });
  client = new Client({ connection: plane.connection() });
  project = new ProjectFolder();
  await project.init();
  for (const version of ["v1", "v1beta1"]) await project.run("create", "api", ...of(version));
  await project.run("create", "webhook", ...of("v1"), "--defaulting", "--validation");
  await project.run("create", "webhook", ...of("v1"), "--conversion", "--hub", "v1", "--spoke", "v1beta1");
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  await deploy();
}, 300_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
  project?.[Symbol.dispose]();
});

it("passes doctor while it runs, but not without its pod or its conversion", async () => {
  expect(await run("doctor")).toEqual({ code: 0, out: "no problems found\n", err: "" });

  const { conversion } = (await client.get(CustomResourceDefinition, crd)).spec;
  const none = { conversion: { strategy: "None", webhook: null } };
  await client.patch(CustomResourceDefinition, crd, { spec: none });
  expect((await run("doctor")).out).toContain(
    `customresourcedefinitions/${crd}: does not use the program's conversion webhook\n  npx kubewright install\n`,
  );
  await client.patch(CustomResourceDefinition, crd, { spec: { conversion } });

  await client.patch(Deployment, manager, { spec: { replicas: 0 } });
  const isEmpty = async () => (await client.list(Pod, { namespace: manager.namespace })).length === 0;
  await expect.poll(isEmpty, { timeout: 30_000 }).toBe(true);
  const { code, out } = await run("doctor");
  const unserved = "the service shop-system/shop-webhook-service has no ready endpoint; requests fail";
  expect([code, out.split(unserved).length - 1]).toEqual([1, 3]);
  await client.patch(Deployment, manager, { spec: { replicas: 1 } });
  const isBack = async () => (await client.get(Deployment, manager)).status?.availableReplicas;
  await expect.poll(isBack, { timeout: 60_000 }).toBe(1);
  expect(await run("doctor")).toEqual({ code: 0, out: "no problems found\n", err: "" });
}, 300_000);

it("is not undeployed while it converts objects, unless forced", async () => {
  const kept = `${crd} is kept: without shop-system/shop-webhook-service, its objects cannot be converted; kubewright deploy restores the service\n`;
  const dry = await run("undeploy", "--dry-run");
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining(kept) });
  await client.create(siteAt("v1"), { metadata: { name: "a", namespace: "default" }, spec: { message: "x" } });
  for (const words of [[], ["--dry-run"], ["--delete-objects"]])
    expect([words, await run("undeploy", ...words)]).toEqual([
      words,
      {
        code: 1,
        out: "",
        err: expect.stringMatching(
          /^sites\.shop\.example\.com: there are 1 sites\.shop\.example\.com, and undeploy would delete shop-system\/shop-webhook-service, which converts them between v1, v1beta1: .*kubectl delete sites\.shop\.example\.com --all --all-namespaces.*--crds --delete-objects.*--force .*\n$/,
        ),
      },
    ]);
  expect(await messageAt("v1beta1")).toEqual({ message: "x" });

  expect(await run("undeploy", "--force")).toMatchObject({ code: 0, err: "", out: expect.stringContaining(kept) });
  await expect.poll(() => messageAt("v1beta1").then(() => "read", String), { timeout: 30_000 }).toMatch(/conversion/);
  expect((await run("undeploy")).out).toBe("shop is not deployed in shop-system\n");
  await expect.poll(() => isGone(client.get(Deployment, manager)), { timeout: 30_000 }).toBe(true);
  await deploy();
  expect(await messageAt("v1beta1")).toEqual({ message: "x" });
}, 300_000);

it("runs until its definitions and their objects are gone", async () => {
  await client.patch(siteAt("v1"), "default/a", { metadata: { finalizers: ["shop.example.com/slow"] } });
  const away = ["undeploy", "--crds", "--delete-objects"];
  expect(await run(...away, "--timeout", "1s")).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${crd}: is still being deleted`),
  });
  expect((await client.get(Deployment, manager)).status?.availableReplicas).toBe(1);
  const undeployed = run(...away);
  await client.patch(siteAt("v1"), "default/a", { metadata: { finalizers: null } });
  expect(await undeployed).toMatchObject({ code: 0, err: "" });
  expect(await isGone(client.get(CustomResourceDefinition, crd))).toBe(true);
  expect(await isGone(client.get(Deployment, manager))).toBe(true);
  expect((await run("undeploy", "--crds", "--timeout", "soon")).code).toBe(2);
}, 300_000);
