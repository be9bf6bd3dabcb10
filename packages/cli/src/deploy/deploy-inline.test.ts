import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { inlineImage } from "@kubewright/codegen";
import { processImage, startControlPlane, stockNodeImage } from "@kubewright/controller-manager";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

it("runs on the image that the development plane starts as a process", () => {
  expect(inlineImage).toBe(stockNodeImage);
});

it("reconciles once it is deployed, with no image and no registry", async () => {
  await using plane = await startControlPlane({ images: { [inlineImage]: processImage() } });
  await using client = new Client({ connection: plane.connection() });
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  const deployed = await project.run("deploy", "--inline", "--kubeconfig", "kubeconfig");
  const [pod] = await client.list(Pod, { namespace: "shop-system" });
  const log = async () => {
    const path = `/api/v1/namespaces/shop-system/pods/${pod?.metadata.name}/log`;
    return (await client.connection.request({ path })).body.toString();
  };
  expect({ ...deployed, log: deployed.code === 0 ? "" : await log() }).toEqual({
    code: 0,
    out: expect.stringMatching(/ available \(\d+ s\) {3}RBAC preflight: (\d+) of \1\n$/),
    err: "",
    log: "",
  });
  const site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
  await client.create(site, { metadata: { name: "a", namespace: "default" }, spec: { message: "x" } });
  const seen = async () => (await client.get(site, "default/a")).status;
  await expect.poll(seen, { timeout: 30_000 }).toMatchObject({ observedGeneration: 1 });
  expect(await log()).toContain('"controller":');

  const controller = join(project.root, "src/controllers/site.ts");
  writeFileSync(controller, readFileSync(controller, "utf8").replace("generation ?? 0", "generation ?? 1"));
  expect(await project.run("deploy", "--inline", "--kubeconfig", "kubeconfig")).toEqual({
    code: 0,
    out: expect.stringMatching(/ available \(\d+ s\) /),
    err: "",
  });
  const pods = () => client.list(Pod, { namespace: "shop-system" });
  await expect
    .poll(async () => (await pods()).map(({ metadata }) => metadata.name), { timeout: 60_000 })
    .toHaveLength(1);
  expect((await pods())[0]?.metadata.name).not.toBe(pod?.metadata.name);
}, 300_000);
