import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../main.ts";
import { ProjectFolder } from "../testing/project-folder.ts";
import { recordedIo } from "../testing/recorded-io.ts";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "pages.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { kind: "Page", plural: "pages", singular: "page", listKind: "PageList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-simulate-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function simulate(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...recordedIo({ PATH: process.env.PATH }), cwd: folder };
  const code = await main(["simulate", ...words], io);
  return { code, ...io.written };
}

const writeCrd = (): void => {
  mkdirSync(join(folder, "config/crd"), { recursive: true });
  writeFileSync(join(folder, "config/crd/kustomization.yaml"), "resources: [pages.json]\n");
  writeFileSync(join(folder, "config/crd/pages.json"), JSON.stringify(crd));
};

it.each([
  [["--schedules", "many", "--", "true"], '--schedules "many" is not a number from 0 to 999999999'],
  [["--without", "peace=x", "--", "true"], '--without "peace=x": the check must be one of quiet, idempotent'],
  [["--without", "healing", "--", "true"], "--without healing: add the reason"],
  [
    ["--remembers", "Secret", "--remembers", "Backup:status.id", "--", "true"],
    '--remembers "Secret" is not KIND:FIELD; use either only kinds, or only fields',
  ],
  [["--patience", "soon", "--", "true"], '--patience "soon" is not a duration'],
  [["--kinds", "Site", "--", "true"], "--kinds Site: the CRDs define only Page"],
  [[], "not in a kubewright project"],
])("refuses %j", async (words, message) => {
  writeCrd();
  const { code, err } = await simulate(...words);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

it("asks for the CRDs if they are not in the usual folder", async () => {
  expect(await simulate("--", "true")).toMatchObject({
    code: 2,
    err: expect.stringContaining("pass the file or folder"),
  });
});

it("reports a program that does not start, with what it printed", async () => {
  writeCrd();
  const { code, out, err } = await simulate(
    "--seed",
    "5",
    "--schedules",
    "1",
    "--",
    "sh",
    "-c",
    "echo no cluster; exit 7",
  );
  expect({ code, out }).toEqual({ code: 1, out: "seed 5: 1 schedule of Page, about 10 s each\n" });
  expect(err).toMatch(/^the program ended before it watched any resource; .* It printed:\nno cluster\n$/);
  expect(existsSync(join(folder, ".kubewright"))).toBe(false);
});

const operator = `import { asReconciler, controllerManagedBy, controllerReference } from "kubewright";
import { ConfigMap, Deployment } from "kubewright/kinds";
import { Site } from "./api/site.ts";

const labels = { app: "site" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };

export function setup(manager) {
  const reconcile = asReconciler(Site, async (site, { client }) => {
    const { name, namespace } = site.metadata;
    const metadata = { name, namespace, ownerReferences: [controllerReference(site)] };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    const { status } = await client.apply(Deployment, { metadata, spec }, { force: true });
    if (status?.readyReplicas === 1) await client.apply(ConfigMap, { metadata, data: { ready: "yes" } }, { force: true });
  });
  controllerManagedBy(manager).for(Site).owns(Deployment).owns(ConfigMap).complete(reconcile);
}
`;
const api = `import { defineKind } from "kubewright";
const names = { group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" };
export const Site = defineKind({ ...names, spec: { type: "object", properties: { title: { type: "string" } } } });
`;

it("simulates the project, with the built-in controllers if asked to", async () => {
  using project = new ProjectFolder();
  await project.init();
  mkdirSync(join(project.root, "src/api"), { recursive: true });
  writeFileSync(join(project.root, "src/api/site.ts"), api);
  writeFileSync(join(project.root, "src/operator.ts"), operator);
  const words = ["simulate", "--seed", "5", "--schedules", "1"];
  // Before and after the write of the Deployment, and of the ConfigMap.
  for (const [flags, places] of [
    [[], "2"],
    [["--controllers"], "4"],
  ] as const)
    expect(await project.run(...words, ...flags)).toEqual({
      code: 0,
      out: expect.stringMatching(
        new RegExp(`^simulating 1 schedules of seed 5\n1 schedules played; .* killed at \\d of ${places} places.*\n$`),
      ),
      err: "",
    });
}, 300_000);
