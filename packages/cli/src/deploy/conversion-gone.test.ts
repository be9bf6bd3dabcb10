import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNotFound, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition, Namespace } from "@kubewright/client/kinds";
import { type ControlPlane, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const crd = "sites.shop.example.com";
const of = (version: string) => ["--group", "shop", "--version", version, "--kind", "Site"];
const Old = unstructured({ apiVersion: "shop.example.com/v1beta1", kind: "Site" });
const system = "shop-system";

let plane: ControlPlane;
let client: Client;
let first: ProjectFolder;
let project: ProjectFolder;
const run = (...words: string[]) => project.run(...words, "--kubeconfig", "kubeconfig");
const definition = () => client.get(CustomResourceDefinition, { name: crd });
const isGone = async (asked: Promise<unknown>): Promise<boolean> => asked.then(() => false, isNotFound);
const place = (namespace: string) => ({ metadata: { name: "a", namespace }, spec: { message: "x" } });

/** An earlier project had v1beta1; the current one stores v1. */
beforeAll(async () => {
  plane = await startControlPlane({});
  client = new Client({ connection: plane.connection() });
  [first, project] = [new ProjectFolder(), new ProjectFolder()];
  for (const one of [first, project]) {
    await one.init();
    writeFileSync(join(one.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
    await one.run("create", "api", ...of("v1beta1"));
  }
  await project.run("create", "api", ...of("v1"));
  await project.run("create", "webhook", ...of("v1"), "--conversion", "--hub", "v1", "--spoke", "v1beta1");
}, 300_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
  for (const one of [first, project]) one?.[Symbol.dispose]();
});

/** Creates objects in the earlier stored version without a conversion webhook. */
beforeEach(async () => {
  expect((await first.run("install", "--kubeconfig", "kubeconfig")).code).toBe(0);
  const metadata = { name: system, annotations: { "kubewright.dev/created-for": "shop" } };
  await client.create(Namespace, { metadata });
  for (const namespace of ["default", system]) await client.create(Old, place(namespace));
  await project.run("generate", "--quiet"); // install would refuse the definition
  expect((await run("apply", "-f", "config/crd/bases", "--force-conflicts")).code).toBe(0);
}, 60_000);

const unread = `${crd}: its objects cannot be read because no webhook converts them: conversion webhook for shop.example.com/v1beta1, Kind=Site failed: `;
const ended = `${crd}: no webhook converts its objects; kubewright set its conversion to None to delete them\n`;

it("refuses with a remedy, and deletes unconverted objects with their definition on request", async () => {
  const [apart, together] = [
    "--delete-objects deletes them together with their CRD, without converting them",
    "--crds --delete-objects deletes",
  ];
  for (const [words, remedy] of [
    [["undeploy"], `--crds and ${apart}`],
    [["undeploy", "--delete-objects"], together],
    [["undeploy", "--delete-objects", "--dry-run"], together],
    [["undeploy", "--crds"], apart],
    [["uninstall"], apart],
  ] as const) {
    const { code, out, err } = await run(...words);
    expect({ words, code, out }).toEqual({ words, code: 1, out: "" });
    expect(err).toContain(unread);
    expect(err).toContain(`\n  kubewright deploy restores the webhook; ${remedy}`);
  }
  const whole = ["undeploy", "--crds", "--delete-objects"];
  expect((await run(...whole, "--dry-run")).out).toContain(ended);
  expect((await definition()).spec.conversion?.strategy).toBe("Webhook");
  expect((await client.get(Namespace, { name: system })).metadata.deletionTimestamp).toBeUndefined();

  const { code, out, err } = await run(...whole);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain(ended);
  expect(out).toContain(`${crd} deleted\n`);
  expect(await isGone(definition())).toBe(true);
  await expect.poll(() => isGone(client.get(Namespace, { name: system })), { timeout: 30_000 }).toBe(true);
}, 300_000);

it("repairs a deleted definition, wherever its unconverted objects are in the list", async () => {
  // The old objects come after the first page of a list.
  const names = Array.from({ length: 500 }, (_, i) => `0-${i}`);
  const New = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
  const made = (name: string) => ({ metadata: { name, namespace: "default" }, spec: { message: "x" } });
  await Promise.all(names.map((name) => client.create(New, made(name))));
  expect((await run("uninstall")).err).toContain(unread);
  await client.delete(CustomResourceDefinition, { name: crd });
  expect((await run("uninstall", "--delete-objects")).out).toContain(ended);
  await expect.poll(() => isGone(definition()), { timeout: 30_000 }).toBe(true);
  await client.delete(Namespace, { name: system });
  await expect.poll(() => isGone(client.get(Namespace, { name: system })), { timeout: 30_000 }).toBe(true);
}, 300_000);

it("reports objects that wait for finalizers of a program that is not deployed", async () => {
  await client.patch(
    CustomResourceDefinition,
    { name: crd },
    { spec: { conversion: { strategy: "None", webhook: null } } },
  );
  await client.patch(Old, "default/a", { metadata: { finalizers: ["shop.example.com/cleanup"] } });
  const { code, err } = await run("undeploy", "--crds", "--delete-objects", "--timeout", "1s");
  expect(code).toBe(1);
  expect(err).toContain(
    `${crd}: is still being deleted, because its objects are waiting for finalizers, and the program`,
  );
  expect(err).toContain("kubewright doctor");
  await client.patch(Old, "default/a", { metadata: { finalizers: null } });
  expect(await run("undeploy", "--crds", "--delete-objects")).toMatchObject({ code: 0, err: "" });
  expect(await isGone(definition())).toBe(true);
}, 300_000);
