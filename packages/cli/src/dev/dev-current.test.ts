import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { expect, it, onTestFinished } from "vitest";
import { Child } from "../testing/child.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

const command = fileURLToPath(new URL("../testing/kubewright.ts", import.meta.url));
const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });

/** A kubeconfig with two contexts, of which the first is the current one. */
const kubeconfigOf = (server: string, current = "prod") =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": current,
    clusters: [{ name: "a", cluster: { server } }],
    contexts: ["prod", "other"].map((name) => ({ name, context: { cluster: "a" } })),
  });

it("does not use a remote cluster without confirmation", async () => {
  using project = new ProjectFolder();
  await project.init();
  const run = (...words: string[]) => project.run("dev", ...words);
  const current = (...words: string[]) => run("--cluster", "current", "--kubeconfig", "kubeconfig", ...words);
  writeFileSync(join(project.root, "kubeconfig"), kubeconfigOf("https://api.example.invalid:6443"));
  expect(await current()).toEqual({
    code: 2,
    out: "",
    err: 'context "prod" (https://api.example.invalid:6443) is not a cluster on this machine; pass --context prod to develop on it, or --cluster embedded\n',
  });
  expect(await current("--context", "other")).toEqual({
    code: 2,
    out: "",
    err: '--context "other": the kubeconfig\'s current context is "prod"; run kubectl config use-context other\n',
  });
  writeFileSync(join(project.root, "kubeconfig"), kubeconfigOf("https://127.0.0.1:1", ""));
  expect(await current()).toMatchObject({ code: 2, err: expect.stringContaining("sets no current context") });
  expect(await run("--cluster", "kind")).toMatchObject({
    code: 2,
    err: '--cluster "kind": must be embedded or current\n',
  });
  expect(await run("--webhooks", "on")).toMatchObject({ code: 2, err: '--webhooks "on": must be local or off\n' });
  expect(await run("--context", "prod")).toMatchObject({ code: 2, err: expect.stringContaining("--cluster current") });
});

it("stays on the initial cluster, and cleans up at the end", async () => {
  await using plane = await startControlPlane({});
  await using client = new Client({ connection: plane.connection() });
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  await project.run("create", "webhook", ...site, "--validation");
  const operator = join(project.root, "src/operator.ts");
  writeFileSync(operator, readFileSync(operator, "utf8").replace(/":8(?:081|443)"/g, '"127.0.0.1:0"'));
  const kubeconfig = join(project.root, "kubeconfig");
  writeFileSync(kubeconfig, plane.kubeconfig, { mode: 0o600 });
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "left", labels: { "kubewright.dev/local-session": "shop-somebody" } },
  });

  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const words = ["--conditions=@kubewright/source", command, "dev", "--cluster", "current"];
  const dev = new Child(
    process.execPath,
    words,
    { PATH, NODE_COMPILE_CACHE, HOME: project.root, KUBECONFIG: "kubeconfig" },
    project.root,
  );
  onTestFinished(() => dev.kill("SIGKILL"));
  await dev.prints(/^ {2}context \S+ {3}https:\/\/127\.0\.0\.1:\d+\n/);
  await dev.prints(/removed left, which an earlier session left behind\n/);
  await dev.prints(/1 webhook at https:\/\/127\.0\.0\.1:\d+\n {2}src\/main\.ts started\n/);
  expect(dev.output).not.toContain("cannot reach");
  const names = async () => (await client.list(ValidatingWebhookConfiguration)).map(({ metadata }) => metadata.name);
  await expect.poll(names).toEqual([expect.stringMatching(/^kubewright-local-shop-.*-validating$/)]);

  // Another terminal switches the current context; the restarted program keeps its own.
  writeFileSync(kubeconfig, plane.kubeconfig.replace(/current-context: .*/, "current-context: elsewhere"));
  const controller = join(project.root, "src/controllers/site.ts");
  const text = readFileSync(controller, "utf8");
  writeFileSync(controller, text.replace("metadata.generation ?? 0", "metadata.generation! + 41"));
  await dev.prints(/src\/main\.ts started\n[\s\S]*src\/main\.ts started\n/);
  await client.create(Site, { metadata: { name: "example", namespace: "default" }, spec: { message: "hello" } });
  const seen = async () => (await client.get(Site, "default/example")).status;
  await expect.poll(seen, { timeout: 60_000 }).toMatchObject({ observedGeneration: 42 });

  dev.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
  expect(await client.list(ValidatingWebhookConfiguration)).toEqual([]);
}, 300_000);
