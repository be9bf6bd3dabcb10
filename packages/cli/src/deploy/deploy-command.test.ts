import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isNotFound, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ClusterRole, CustomResourceDefinition, Deployment, Namespace, Secret } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { inlineImage } from "@kubewright/codegen";
import { type ControlPlane, type ImageRunner, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { preflight } from "./preflight.ts";

/** A plane whose pods are Ready without running anything. */
const idle: ImageRunner = async () => {
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  return { exited, stop: async () => resolve(0) };
};

let plane: ControlPlane;
let client: Client;
let project: ProjectFolder;
beforeAll(async () => {
  plane = await startControlPlane({ images: { [inlineImage]: idle } });
  client = new Client({ connection: plane.connection() });
  project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
}, 300_000);
afterAll(async () => {
  project?.[Symbol.dispose]();
  await client?.close();
  await plane?.[Symbol.asyncDispose]();
});

const run = (...words: string[]) => project.run(...words, "--kubeconfig", "kubeconfig");
const site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
const name = "shop-controller-manager";
const key = { namespace: "shop-system", name };
const isGone = async (asked: Promise<unknown>): Promise<boolean> => asked.then(() => false, isNotFound);

it("refuses conflicting flags, in one line", async () => {
  const refusals: readonly (readonly [words: readonly string[], message: string])[] = [
    [["deploy"], "deploy: pass --image REFERENCE or --inline, or -k FOLDER with a kustomization that sets the image\n"],
    [["deploy", "--inline", "--image", "a/b:c"], "--image and --inline cannot be used together\n"],
    [["deploy", "--image", "a:b:c"], '"a:b" is not a valid repository'],
    [["deploy", "--image", "a", "--in-cluster"], "--in-cluster requires --inline\n"],
    [["deploy", "--image", "a", "--no-source-map"], "--no-source-map requires --inline; "],
    [
      ["deploy", "-k", "x", "-n", "y"],
      "--namespace and -k cannot be used together; set namespace: NAME in the kustomization\n",
    ],
    [["deploy", "--inline", "-n", "Y"], '--namespace "Y": '],
    [["undeploy", "-n", "a.b"], '--namespace "a.b": '],
  ];
  for (const [words, message] of refusals) {
    const { code, out, err } = await run(...words);
    expect({ words, code, out, err }).toEqual({ words, code: 2, out: "", err: expect.stringContaining(message) });
  }
  expect(await run("deploy", "-k", "nowhere")).toMatchObject({ code: 1, err: expect.stringContaining("nowhere") });
}, 120_000);

it("describes the program with the namespace that it will run in", async () => {
  const operator = join(project.root, "src/operator.ts");
  const before = readFileSync(operator, "utf8");
  writeFileSync(operator, before.replace(/id: "([^"]*)"/, 'id: "$1." + process.env.POD_NAMESPACE'));
  const { code, out } = await project.run("deploy", "--image", "a", "-n", "elsewhere", "--render", "-");
  writeFileSync(operator, before);
  expect([code, out]).toEqual([0, expect.stringContaining("shop.example.com.elsewhere")]);
  expect(out).not.toContain("shop-system");
}, 120_000);

it("renders manifests without a cluster", async () => {
  const { code, out, err } = await project.run("deploy", "--inline", "--render", "shop.yaml"); // the example of --help
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^ {2}shop\.yaml {2}\d+ objects\n$/);
  const text = readFileSync(join(project.root, "shop.yaml"), "utf8");
  expect(text).toContain("name: shop-bundle");
  expect(text).toContain(`image: ${inlineImage}`);
  expect((await project.run("deploy", "--inline", "--render", "-")).out).toBe(text);
  expect(text).toContain("- --enable-source-maps\n");
  expect((await project.run("deploy", "--inline", "--no-source-map", "--render", "-")).out).not.toContain("source-map");
}, 120_000);

it("reports a program that is too large for a Secret, with its largest parts", async () => {
  const main = join(project.root, "src/main.ts");
  const before = readFileSync(main, "utf8");
  // Random data does not compress.
  const noise = Buffer.alloc(1_100_000);
  let state = 1;
  for (let i = 0; i < noise.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise[i] = state >>> 24;
  }
  writeFileSync(main, `${before}console.log("${noise.toString("base64")}");\n`);
  const { code, err } = await project.run("deploy", "--inline", "--render", "shop.yaml");
  writeFileSync(main, before);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^--inline: the program is too large for a Secret: 1\.\d MB gzipped, but the limit is 1\.0 MB; largest parts, uncompressed: src 1\.5 MB, /,
  );
  expect(err).toContain(
    "; pass --in-cluster to omit @kubernetes/client-node, or use kubewright image, which has no limit\n",
  );
}, 120_000);

it("deploys the program in a Secret, and undeploys it", async () => {
  const dry = await run("deploy", "--inline", "--dry-run");
  expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/^ {2}\d+ of \d+ objects applied \(dry run\)\n$/) });
  expect(await isGone(client.get(Namespace, key.namespace))).toBe(true);

  const first = await run("deploy", "--inline");
  expect(first.err).toBe("");
  const [, objects, allowed, needed] =
    /^ {2}(\d+) objects applied {3}deployment\/shop-controller-manager available \(\d+ s\) {3}RBAC preflight: (\d+) of (\d+)\n$/.exec(
      first.out,
    ) ?? [];
  expect([first.code, Number(objects), allowed]).toEqual([0, expect.any(Number), needed]);
  expect(Number(needed)).toBeGreaterThan(5);
  await project.run("build");
  const secret = await client.get(Secret, { ...key, name: "shop-bundle" });
  const packed = Buffer.from(secret.data?.["operator.mjs.gz"] ?? "", "base64");
  expect(gunzipSync(packed).equals(readFileSync(join(project.root, "dist/operator.mjs")))).toBe(true);
  const deployment = await client.get(Deployment, key);
  expect(deployment.spec.template.spec?.containers[0]).toMatchObject({ image: inlineImage, args: ["--leader-elect"] });
  expect(deployment.status?.availableReplicas).toBe(1);

  const again = await run("deploy", "--inline", "--json");
  expect(JSON.parse(again.out).items.at(-1)).toEqual({
    outcome: "summary",
    objects: Number(objects),
    applied: Number(objects),
    pruned: 0,
  });
  expect((await client.get(Deployment, key)).metadata.generation).toBe(deployment.metadata.generation);
  const other = await run("deploy", "--image", "registry.example.com/shop:v1");
  expect(other.out).toContain(`  ${Number(objects) - 1} objects applied, 1 pruned   deployment/`);
  expect(await isGone(client.get(Secret, { ...key, name: "shop-bundle" }))).toBe(true);

  await client.create(site, { metadata: { name: "a", namespace: key.namespace }, spec: { message: "x" } });
  expect(await run("undeploy")).toMatchObject({
    code: 1,
    err: "there are 1 sites.shop.example.com in shop-system; delete them first, or pass --delete-objects\n",
  });
  await client.delete(site, { namespace: key.namespace, name: "a" });
  await client.create(site, { metadata: { name: "a", namespace: "default" }, spec: { message: "x" } });
  const dryAway = await run("undeploy", "--dry-run");
  expect(dryAway.out).toContain("deployment.apps/shop-controller-manager in shop-system deleted (dry run)\n");
  expect((await client.get(Deployment, key)).metadata.deletionTimestamp).toBeUndefined();
  const away = await run("undeploy");
  expect([away.code, away.err]).toEqual([0, ""]);
  expect(away.out).toContain("namespace/shop-system deleted\n");
  await expect.poll(() => isGone(client.get(Namespace, key.namespace)), { timeout: 20_000 }).toBe(true);
  expect(await isGone(client.get(ClusterRole, "shop-manager-role"))).toBe(true);
  expect((await client.get(site, "default/a")).metadata.name).toBe("a");
  expect(await run("undeploy")).toEqual({ code: 0, out: "shop is not deployed in shop-system\n", err: "" });
  expect((await run("undeploy", "--crds")).code).toBe(1);
  expect((await run("undeploy", "--crds", "--delete-objects")).out).toContain("/sites.shop.example.com deleted\n");
  await expect.poll(() => isGone(client.get(CustomResourceDefinition, "sites.shop.example.com"))).toBe(true);
}, 300_000);

it("does not change an existing namespace, and reports why pods are not ready", async () => {
  await client.create(Namespace, { metadata: { name: "there", labels: { its: "own" } } });
  const { code, out, err } = await run("deploy", "--image", "shop:404", "-n", "there", "--timeout", "3s");
  expect(code).toBe(1);
  expect(err).toMatch(/deployment\.apps\/shop-controller-manager in there failed: not ready in time: /);
  expect(err).toMatch(/^pod shop-controller-manager-\S+: manager: .*404.*$/m);
  expect(out).toMatch(/^ {2}\d+ objects applied {3}RBAC preflight: (\d+) of \1\n$/);
  expect((await client.get(Namespace, "there")).metadata.labels).toEqual({
    its: "own",
    "kubernetes.io/metadata.name": "there",
  });
  expect((await run("undeploy", "-n", "there")).out).not.toContain("namespace/");
  expect((await client.get(Namespace, "there")).metadata.deletionTimestamp).toBeUndefined();
}, 120_000);

it("deploys an overlay built with kubectl, with the program inline", async () => {
  mkdirSync(join(project.root, "overlay"));
  await project.run("deploy", "--image", "shop:v1", "--render", "overlay/all.yaml");
  const overlay = { resources: ["all.yaml"], namespace: "staging" };
  writeFileSync(join(project.root, "overlay/kustomization.yaml"), JSON.stringify(overlay));
  const { code, out, err } = await run("deploy", "-k", "overlay", "--inline");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/available \(\d+ s\) {3}RBAC preflight: (\d+) of \1\n$/);
  expect((await client.get(Secret, "staging/shop-bundle")).metadata.namespace).toBe("staging");
  expect((await run("undeploy", "-n", "staging")).out).toContain("namespace/staging deleted\n");
}, 120_000);

it("checks each needed permission, and retries refusals that may be stale", async () => {
  let naps = 0;
  const clock = { ...systemClock, sleep: async () => void naps++ };
  const needed = [
    { group: "", resource: "secrets", verb: "get", name: "a", namespace: "kube-system" },
    { group: "apps", resource: "deployments", subresource: "scale", verb: "update" },
  ];
  const nobody = { namespace: "default", name: "nobody" };
  const { signal } = new AbortController();
  expect(await preflight(client, nobody, needed, signal, clock)).toEqual({
    needed: 2,
    refused: ['get secrets "a" in kube-system', "update deployments/scale.apps"],
  });
  expect(naps).toBe(9);
});
