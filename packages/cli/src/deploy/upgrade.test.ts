import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Pod,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import { inlineImage } from "@kubewright/codegen";
import { type ControlPlane, processImage, startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const namespace = "shop-system";
const of = (kind: string, version = "v1") => ["--group", "shop", "--version", version, "--kind", kind];

/** Writes twenty times a second, whatever becomes of each write. */
class Writer {
  readonly #client: Client;
  readonly #timer: NodeJS.Timeout;
  readonly #writes: Promise<void>[] = [];
  /** What failed, or passed unvalidated. */
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
        metadata: { name: `w-${turn}`, namespace: "default" },
        spec: { message },
      });
      if (message.length > 1_000) this.wrong.push(`${at}: was not validated`);
      else if (kind === "Site" && JSON.stringify(made.spec) !== '{"message":"hello"}')
        this.wrong.push(`${at}: was not defaulted: ${JSON.stringify(made.spec)}`);
    } catch (error) {
      if (message.length <= 1_000 || !String(error).includes("is longer than 1,000 letters"))
        this.wrong.push(`${at}: ${error}`);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#writes);
  }
}

let plane: ControlPlane;
let client: Client;
/** Earlier and later revision of one program. */
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
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  return project;
}

beforeAll(async () => {
  plane = await startControlPlane({ images: { [inlineImage]: processImage() } });
  client = new Client({ connection: plane.connection() });
  earlier = await revision("v1alpha1", "v1");
  await earlier.run("create", "api", ...of("Pool"));
  for (const kind of ["Pool", "Zone"]) await earlier.run("create", "webhook", ...of(kind), "--validation");
  later = await revision("v1", "v1alpha1");
}, 300_000);
afterAll(async () => {
  await client?.close();
  await plane?.stop();
  for (const one of [earlier, later]) one?.[Symbol.dispose]();
});

const earlierEntries = [
  "default.site.v1alpha1.shop.example.com",
  "validate.pool.v1.shop.example.com",
  "validate.site.v1alpha1.shop.example.com",
  "validate.zone.v1.shop.example.com",
];
const laterEntries = ["default.site.v1.shop.example.com", "validate.site.v1.shop.example.com"];

it("goes to the next revision and back, and every write is answered and validated", async () => {
  const deploy = async (project: ProjectFolder | undefined) => {
    const { code, out, err } =
      (await project?.run("deploy", "--inline", "--kubeconfig", "kubeconfig")) ?? expect.unreachable();
    expect([code, err, out]).toEqual([0, "", expect.stringMatching(/^ {2}\d+ objects applied.* available .*\n$/)]);
  };
  await deploy(earlier);
  expect((await entries()).sort()).toEqual(earlierEntries);
  const isTrusted = async () => {
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, "shop-validating-webhook-configuration");
    return webhooks.every(({ clientConfig }) => clientConfig.caBundle);
  };
  await expect.poll(isTrusted, { timeout: 40_000 }).toBe(true);
  const writer = new Writer(client);
  for (const [project, wanted, stored] of [
    [later, laterEntries, "v1"],
    [earlier, earlierEntries, "v1alpha1"],
  ] as const) {
    await deploy(project);
    expect((await entries()).sort()).toEqual(wanted);
    const { spec } = await client.get(CustomResourceDefinition, "sites.shop.example.com");
    expect(spec.versions.find(({ storage }) => storage)?.name).toBe(stored);
    expect(await client.list(Pod, { namespace })).toHaveLength(1);
    expect(writer.wrong).toEqual([]);
  }
  expect((await client.get(CustomResourceDefinition, "pools.shop.example.com")).spec.names.kind).toBe("Pool");
  await writer.stop();
  expect(writer.wrong).toEqual([]);
  expect(writer.count).toBeGreaterThan(300);
}, 300_000);
