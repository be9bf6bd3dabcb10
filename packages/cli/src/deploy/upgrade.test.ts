import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Unstructured, unstructured } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { parseManifests } from "@kubewright/client/apply";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { inlineImage } from "@kubewright/codegen";
import { type ControlPlane, processImage, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const namespace = "shop-system";
const of = (kind: string, version = "v1") => ["--group", "shop", "--version", version, "--kind", kind];

/** Writes twenty times a second, regardless of the results. */
class Writer {
  readonly #client: Client;
  readonly #timer: NodeJS.Timeout;
  readonly #writes: Promise<void>[] = [];
  /** Writes that failed or skipped validation. */
  readonly wrong: string[] = [];
  count = 0;

  constructor(client: Client) {
    this.#client = client;
    this.#timer = setInterval(() => this.#writes.push(this.#write(this.count++)), 50);
  }

  async #write(turn: number): Promise<void> {
    const [kind, version, message] =
      (
        [
          ["Site", "v1alpha1", " hello "],
          ["Site", "v1", " hello "],
          ["Pool", "v1", "hello"],
          ["Site", "v1alpha1", "x".repeat(1_001)],
          ["Zone", "v1", "hello"],
          ["Site", "v1", "x".repeat(1_001)],
        ] as const
      )[turn % 6] ?? expect.unreachable();
    const what = unstructured({ apiVersion: `shop.example.com/${version}`, kind });
    const at = `${turn} ${new Date().toISOString().slice(14, 23)} ${kind}.${version}`;
    try {
      const made = await this.#client.create(what, {
        metadata: { generateName: "w-", namespace: "default" },
        spec: { message },
      });
      if (message.length > 1_000) this.wrong.push(`${at}: was not validated`);
      else if (kind === "Site" && JSON.stringify(made.spec) !== '{"message":"hello"}')
        this.wrong.push(`${at}: was not defaulted: ${JSON.stringify(made.spec)}`);
    } catch (error) {
      if (message.length <= 1_000 || !String(error).includes("must be at most 1,000 characters"))
        this.wrong.push(`${at}: ${error}`);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#writes);
  }
}

/** Kubeconfig of a cluster to use instead of an embedded control plane: set it and run `npm run test:upgrade`. */
const cluster = process.env.KUBEWRIGHT_UPGRADE_KUBECONFIG;
let plane: ControlPlane | undefined;
let kubeconfig: string;
let client: Client;
/** Earlier and later revision of a program. */
let [earlier, later]: ProjectFolder[] = [];
const entries = async (): Promise<string[]> =>
  (
    await Promise.all([
      client.get(MutatingWebhookConfiguration, "shop-mutating-webhook-configuration"),
      client.get(ValidatingWebhookConfiguration, "shop-validating-webhook-configuration"),
    ])
  ).flatMap(({ webhooks = [] }) => webhooks.map(({ name }) => name));

async function revision(hub: string, spoke: string): Promise<ProjectFolder> {
  const project = new ProjectFolder();
  await project.init();
  for (const version of ["v1", "v1alpha1"]) await project.run("create", "api", ...of("Site", version));
  await project.run("create", "webhook", ...of("Site", hub), "--defaulting", "--validation");
  await project.run("create", "webhook", ...of("Site", hub), "--conversion", "--hub", hub, "--spoke", spoke);
  await project.run("create", "api", ...of("Zone"));
  writeFileSync(join(project.root, "kubeconfig"), kubeconfig, { mode: 0o600 });
  writeFileSync(join(project.root, "post-renderer.mjs"), postRenderer, { mode: 0o700 });
  return project;
}

beforeAll(async () => {
  if (cluster === undefined) plane = await startControlPlane({ images: { [inlineImage]: processImage() } });
  kubeconfig = plane?.kubeconfig ?? readFileSync(cluster ?? expect.unreachable(), "utf8");
  client = new Client({ connection: plane?.connection() ?? Connection.fromKubeConfig(cluster ?? "") });
  earlier = await revision("v1alpha1", "v1");
  await earlier.run("create", "api", ...of("Pool"));
  for (const kind of ["Pool", "Zone"]) await earlier.run("create", "webhook", ...of(kind), "--validation");
  later = await revision("v1", "v1alpha1");
}, 300_000);
afterAll(async () => {
  if (cluster !== undefined) await earlier?.run("undeploy", "--crds", "--delete-objects", "--kubeconfig", "kubeconfig");
  await client?.close();
  await plane?.stop();
  for (const one of [earlier, later]) one?.[Symbol.dispose]();
}, 300_000);

const earlierEntries = [
  "default.site.v1alpha1.shop.example.com",
  "validate.pool.v1.shop.example.com",
  "validate.site.v1alpha1.shop.example.com",
  "validate.zone.v1.shop.example.com",
];
const laterEntries = ["default.site.v1.shop.example.com", "validate.site.v1.shop.example.com"];

/** Ways to deploy a revision, each with its output. */
type Way = (project: ProjectFolder) => Promise<void>;

const deploy: Way = async (project) => {
  const { code, out, err } = await project.run("deploy", "--inline", "--kubeconfig", "kubeconfig");
  expect([code, err, out]).toEqual([0, "", expect.stringMatching(/^ {2}\d+ objects applied.* available .*\n$/)]);
};

/** Applies deploy's manifests in the order of the guide: first the Deployment, then definitions, then everything. */
const kubectl: Way = async (project) => {
  const { objects, declared } = await rendered(project);
  const isLate = (one: Unstructured): boolean => isDefinition(one) || one.kind.endsWith("WebhookConfiguration");
  const early = objects.filter((one) => !isLate(one));
  await roll(project, early, declared);
  await apply(project, "definitions", objects.filter(isDefinition));
  await systemClock.sleep(1_000);
  await apply(project, "all", objects);
  await expect.poll(async () => (await entries()).sort(), { timeout: 90_000 }).toEqual(declared);
};

/** Upgrades a release with the commands of the guide. */
const release: Way = async (project) => {
  const { declared } = await rendered(project);
  const shown = ["rbac/*", "manager/*", "webhook/se*"].flatMap((path) => ["--show-only", `templates/${path}`]);
  await roll(project, objectsIn(await helm(project, "template", ...shown)), declared);
  await helm(project, "upgrade", "--take-ownership");
  await expect.poll(async () => (await entries()).sort(), { timeout: 90_000 }).toEqual(declared);
};

interface Rendered {
  readonly objects: readonly Unstructured[];
  /** Names of the webhooks, sorted. */
  readonly declared: readonly string[];
}

/** Renders deploy's manifests and the chart, and applies the Secret with the program. Returns the other objects. */
async function rendered(project: ProjectFolder): Promise<Rendered> {
  const file = join(project.root, "all.yaml");
  expect((await project.run("generate", "helm")).code).toBe(0);
  expect((await project.run("deploy", "--inline", "--render", file)).code).toBe(0);
  const all = objectsIn(readFileSync(file, "utf8"));
  const isBundle = ({ metadata }: Unstructured): boolean => metadata.name === "shop-bundle";
  const deployment = all.find(({ kind }) => kind === "Deployment");
  writeFileSync(join(project.root, "deployment.json"), JSON.stringify(deployment));
  // Client-side apply stores the object in an annotation, which is too small for a bundle.
  const bundle = join(project.root, "bundle.json");
  writeFileSync(bundle, JSON.stringify(all.find(isBundle)));
  await run(project, "kubectl", "apply", "--server-side", "--force-conflicts", "-f", bundle);
  const objects = all.filter((object) => !isBundle(object));
  return { objects, declared: objects.flatMap(({ webhooks }) => namesIn(webhooks)).sort() };
}

/** Applies the Deployment and the objects that it needs, and waits until the new leader has added the declared webhooks. */
async function roll(
  project: ProjectFolder,
  objects: readonly Unstructured[],
  declared: readonly string[],
): Promise<void> {
  await apply(project, "program", objects);
  const deployment = "deployment/shop-controller-manager";
  await run(project, "kubectl", "-n", namespace, "rollout", "status", deployment, "--timeout=90s");
  const areThere = async () => (await entries()).filter((name) => declared.includes(name)).sort();
  await expect.poll(areThere, { timeout: 90_000 }).toEqual(declared);
}

async function apply(project: ProjectFolder, name: string, objects: readonly Unstructured[]): Promise<void> {
  const folder = join(project.root, "steps", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "all.yaml"), objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  writeFileSync(join(folder, "kustomization.yaml"), "resources: [all.yaml]\n");
  await run(project, "kubectl", "apply", "-k", folder);
}

function helm(project: ProjectFolder, ...words: string[]): Promise<string> {
  const [program = "helm"] = helms;
  const renderer = join(project.root, "post-renderer.mjs");
  const place = ["--namespace", namespace, "--post-renderer", renderer];
  return run(project, program, ...words, "shop", join(project.root, "config/chart"), ...place);
}

/** Replaces the chart's pods, which need an image, with those of `deploy --inline`. */
const postRenderer = `#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
const { spec } = JSON.parse(readFileSync(new URL("deployment.json", import.meta.url), "utf8"));
for (const document of parseAllDocuments(readFileSync(0, "utf8"))) {
  if (document.contents === null) continue;
  if (document.get("kind") === "Deployment") document.setIn(["spec", "template"], document.createNode(spec.template));
  console.log("---\\n" + document); // with the comment that names the template
}
`;

async function run({ root }: ProjectFolder, program: string, ...words: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: root, KUBECONFIG: join(root, "kubeconfig") };
  return (await execute(program, words, { env, maxBuffer: 16 * 1024 * 1024 })).stdout;
}

const execute = promisify(execFile);
const objectsIn = (text: string): Unstructured[] =>
  parseManifests(text, "manifests").manifests.map((one) => one.object);
const isDefinition = ({ kind }: Unstructured): boolean => kind === "CustomResourceDefinition";
const namesIn = (webhooks: unknown): string[] =>
  Array.isArray(webhooks) ? webhooks.map(({ name }: { name: unknown }) => String(name)) : [];

const starts = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const helms = ["helm", join(cache, "kubewright/helm/helm")].filter((program) => starts(program, "version"));
const hasKubectl = starts("kubectl", "version", "--client");
const hasHelm = hasKubectl && helms.length > 0;
/** `npm test` upgrades by `kubewright deploy` only, because each way takes minutes; `npm run test:upgrade` in all ways. */
const isWhole = process.env.npm_lifecycle_event === "test:upgrade";
const needs = {
  kubectl: "`npm run test:upgrade -w @kubewright/cli`, and kubectl on the PATH",
  helm: "`npm run test:upgrade -w @kubewright/cli`, kubectl on the PATH, and helm: npm run helm -w sdewan-operator builds it, with Go",
};

it("starts with the earlier revision", async () => {
  await deploy(earlier ?? expect.unreachable());
  expect((await entries()).sort()).toEqual(earlierEntries);
  const isTrusted = async () => {
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, "shop-validating-webhook-configuration");
    return webhooks.every(({ clientConfig }) => clientConfig.caBundle);
  };
  await expect.poll(isTrusted, { timeout: 90_000 }).toBe(true);
}, 300_000);

async function goAndComeBack(way: Way): Promise<void> {
  const writer = new Writer(client);
  try {
    for (const [project, wanted, stored] of [
      [later, laterEntries, "v1"],
      [earlier, earlierEntries, "v1alpha1"],
    ] as const) {
      await way(project ?? expect.unreachable());
      expect((await entries()).sort()).toEqual(wanted);
      const { spec } = await client.get(CustomResourceDefinition, "sites.shop.example.com");
      expect(spec.versions.find(({ storage }) => storage)?.name).toBe(stored);
      expect(writer.wrong.join("\n")).toBe("");
    }
    expect((await client.get(CustomResourceDefinition, "pools.shop.example.com")).spec.names.kind).toBe("Pool");
  } finally {
    await writer.stop();
  }
  expect(writer.wrong.join("\n")).toBe("");
  expect(writer.count).toBeGreaterThan(300);
}

const what = "goes to the next revision and back, and every write is answered and validated, by";
it(`${what} kubewright deploy`, () => goAndComeBack(deploy), 300_000);
const byKubectl = { meta: { needs: needs.kubectl }, timeout: 300_000 };
it.skipIf(!isWhole || !hasKubectl)(`${what} kubectl apply -k`, byKubectl, () => goAndComeBack(kubectl));
const byHelm = { meta: { needs: needs.helm }, timeout: 300_000 };
it.skipIf(!isWhole || !hasHelm)(`${what} helm upgrade`, byHelm, async () => {
  const project = earlier ?? expect.unreachable();
  await rendered(project);
  await helm(project, "upgrade", "--install", "--take-ownership"); // adopts the objects
  await goAndComeBack(release);
});
