import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  const file = join(project.root, "all.yaml");
  expect((await project.run("deploy", "--inline", "--render", file)).code).toBe(0);
  const { manifests } = parseManifests(readFileSync(file, "utf8"), "all.yaml");
  const kube = async (...words: string[]) =>
    execute("kubectl", ["--kubeconfig", join(project.root, "kubeconfig"), ...words], {
      env: { PATH: process.env.PATH, HOME: project.root },
    });
  const apply = async (name: string, isIn: (kind: string) => boolean) => {
    const folder = join(project.root, "steps", name);
    mkdirSync(folder, { recursive: true });
    const texts = manifests
      .filter(({ object }) => !isBundle(object) && isIn(object.kind))
      .map(({ object }) => JSON.stringify(object));
    writeFileSync(join(folder, "all.yaml"), texts.join("\n---\n"));
    writeFileSync(join(folder, "kustomization.yaml"), "resources: [all.yaml]\n");
    await kube("apply", "-k", folder);
  };
  // Client-side apply stores the object in an annotation, which is too small for a bundle.
  const bundle = join(project.root, "bundle.json");
  writeFileSync(bundle, JSON.stringify(manifests.find(({ object }) => isBundle(object))?.object));
  await kube("apply", "--server-side", "--force-conflicts", "-f", bundle);
  const isBundleTarget = (kind: string) => kind === "CustomResourceDefinition" || kind.endsWith("WebhookConfiguration");
  await apply("program", (kind) => !isBundleTarget(kind));
  await kube("-n", namespace, "rollout", "status", "deployment/shop-controller-manager", "--timeout=90s");
  const declared = manifests.flatMap(({ object }) => (isBundleTarget(object.kind) ? namesIn(object.webhooks) : []));
  const areThere = async () => (await entries()).filter((name) => declared.includes(name)).sort();
  await expect.poll(areThere, { timeout: 90_000 }).toEqual(declared.sort());
  await apply("definitions", (kind) => kind === "CustomResourceDefinition");
  await systemClock.sleep(1_000);
  await apply("all", () => true);
  await expect.poll(async () => (await entries()).sort(), { timeout: 90_000 }).toEqual(declared.sort());
};

const isBundle = ({ metadata }: Unstructured): boolean => metadata.name === "shop-bundle";
const execute = promisify(execFile);
const namesIn = (webhooks: unknown): string[] =>
  Array.isArray(webhooks) ? webhooks.map(({ name }: { name: unknown }) => String(name)) : [];
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

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
      expect(writer.wrong).toEqual([]);
    }
    expect((await client.get(CustomResourceDefinition, "pools.shop.example.com")).spec.names.kind).toBe("Pool");
  } finally {
    await writer.stop();
  }
  expect(writer.wrong).toEqual([]);
  expect(writer.count).toBeGreaterThan(300);
}

const what = "goes to the next revision and back, and every write is answered and validated, by";
it(`${what} kubewright deploy`, () => goAndComeBack(deploy), 300_000);
it.skipIf(!hasKubectl)(`${what} kubectl apply -k`, () => goAndComeBack(kubectl), 300_000);
