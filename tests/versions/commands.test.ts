import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unstructured } from "@kubewright/apimachinery";
import { main } from "@kubewright/cli";
import { Client } from "@kubewright/client";
import { Deployment, Lease, Namespace } from "@kubewright/client/kinds";
import { inlineImage } from "@kubewright/codegen";
import { processImage, type RunningControllers, startControllers } from "@kubewright/controller-manager";
import { Environment } from "@kubewright/envtest";
import { createLogger } from "@kubewright/log";
import { afterAll, beforeAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "kubewright-versions-"));
const group = ["--group", "shop", "--version", "v1", "--kind", "Site"];
const site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
const namespace = "shop-system";

let env: Environment;
let client: Client;
/** Warnings of the controllers. */
const warnings: string[] = [];
/** The controllers and nodes that roll out the program. */
let controllers: RunningControllers;
beforeAll(async () => {
  env = await Environment.start({ serviceAccountAdmission: true });
  client = new Client({ connection: env.connection() });
  controllers = await startControllers({
    connection: env.connection(),
    images: { [inlineImage]: processImage() },
    logger: createLogger({ level: "warn", destination: { write: (line: string) => void warnings.push(line) } }),
  });
  await run("init", "--domain", "example.com", "--name", "shop", "--no-install", "--no-git");
  writeFileSync(join(folder, "kubeconfig"), env.kubeconfig(), { mode: 0o600 });
  symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(folder, "node_modules"));
  await run("create", "api", ...group);
}, 300_000);
afterAll(async () => {
  await controllers?.stop();
  await client?.close();
  await env?.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a command in the project. */
async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const code = await main(words, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: { HOME: folder, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    cwd: folder,
  });
  return { code, out, err };
}
const onCluster = (...words: string[]) => run(...words, "--kubeconfig", "kubeconfig");

it("apply creates objects, and changes nothing the second time", async () => {
  writeFileSync(
    join(folder, "objects.yaml"),
    "apiVersion: v1\nkind: Namespace\nmetadata: { name: applied }\n---\n" +
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: applied }\ndata: { a: b }\n",
  );
  for (const _ of [1, 2]) expect(await onCluster("apply", "-f", "objects.yaml")).toMatchObject({ code: 0, err: "" });
  expect((await client.get(Namespace, "applied")).metadata.generation).toBeUndefined();
});

it("deploy runs the program with a leader, and check finds no differences", async () => {
  const deployed = await onCluster("deploy", "--inline");
  expect(deployed).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/ available .*RBAC preflight: (\d+) of \1\n$/),
  });
  expect((await client.get(Deployment, `${namespace}/shop-controller-manager`)).status).toMatchObject({
    readyReplicas: 1,
  });
  const leases = await client.list(Lease, { namespace });
  expect(leases.map(({ spec }) => spec?.holderIdentity)).toEqual([expect.any(String)]);
  const key = { name: "a", namespace: "default" };
  await client.create(site, { metadata: key, spec: {} });
  await expect
    .poll(async () => (await client.get(site, key)).status, { timeout: 60_000 })
    .toMatchObject({ observedGeneration: 1 });
  await run("generate");
  expect(await onCluster("check", "--against", "cluster", "--kubernetes", "1.30")).toEqual({
    code: 0,
    out: "",
    err: "",
  });
}, 300_000);

it("deploy rolls out a change, and undeploy deletes everything", async () => {
  const file = join(folder, "src/controllers/site.ts");
  writeFileSync(file, `${readFileSync(file, "utf8")}\n// changed\n`);
  const before = await client.get(Deployment, `${namespace}/shop-controller-manager`);
  expect(await onCluster("deploy", "--inline", "--no-source-map")).toMatchObject({ code: 0, err: "" });
  const after = await client.get(Deployment, `${namespace}/shop-controller-manager`);
  expect(after.metadata.generation).toBeGreaterThan(before.metadata.generation ?? 0);
  expect(await onCluster("undeploy", "--crds", "--delete-objects")).toMatchObject({ code: 0, err: "" });
  expect(await client.list(Deployment, { namespace })).toEqual([]);
}, 300_000);

it("the controllers watch only kinds that the server has", () => {
  expect(warnings.filter((line) => line.includes("no matches for kind") || line.includes("is not served"))).toEqual([]);
});
