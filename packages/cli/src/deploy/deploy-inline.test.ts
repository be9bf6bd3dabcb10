import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forbidden, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { Deployment, Namespace, Pod } from "@kubewright/client/kinds";
import { inlineImage } from "@kubewright/codegen";
import { processImage, startControlPlane, stockNodeImage } from "@kubewright/controller-manager";
import { describe, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { isRunAsProcess } from "./inline-manifests.ts";

it("uses the image that the development control plane runs as a process", () => {
  expect(inlineImage).toBe(stockNodeImage);
});

const refusal = `--inline: this control plane only simulates the image ${inlineImage}`;

it("refuses a control plane that would only simulate the program, and names the remedy", async () => {
  await using plane = await startControlPlane({ images: { "docker.io/library/node:24": processImage() }, nodes: 2 });
  await using client = new Client({ connection: plane.connection() });
  using project = new ProjectFolder();
  await project.init();
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  const { code, out, err } = await project.run("deploy", "--inline", "--kubeconfig", "kubeconfig");
  expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringContaining(refusal) });
  expect(err).toContain("kubewright controlplane --process-images");
  expect((await client.list(Namespace)).map(({ metadata }) => metadata.name)).not.toContain("shop-system");
}, 60_000);

describe("inline deployment by nodes of the cluster", () => {
  const node = (runtime: string, images?: string) => ({
    metadata: {
      name: runtime,
      ...(images === undefined ? {} : { annotations: { "sim.kubewright.dev/images": images } }),
    },
    status: { nodeInfo: { containerRuntimeVersion: runtime } },
  });
  const simulated = "kubewright://1";
  const nodes = (...items: object[]) => ({ list: async () => items }) as unknown as Client;

  it.each([
    ["runs the image", [node(simulated, `a,${inlineImage}`), node(simulated, "")], true],
    ["runs all tags of the image", [node(simulated, "docker.io/library/node")], true],
    ["does not list its images", [node(simulated)], true],
    ["has another runtime", [node("containerd://2.1.0"), node("cri-o://1.36")], false],
    ["has another runtime on some nodes", [node(simulated, ""), node("containerd://2.1.0")], false],
    ["has no nodes", [], false],
  ])("accepts a cluster that %s", async (_, items, isProcess) => {
    expect(await isRunAsProcess(nodes(...items))).toBe(isProcess);
  });

  it.each([
    ["no image", ""],
    ["another tag", "docker.io/library/node:22"],
    ["an image whose name only ends so", "example.com/docker.io/library/node"],
  ])("refuses a cluster that runs %s", async (_, images) => {
    await expect(isRunAsProcess(nodes(node(simulated, images)))).rejects.toThrow(refusal);
  });

  it("accepts a cluster whose nodes it may not list, but no other failure", async () => {
    const failing = (error: Error) => ({ list: async () => Promise.reject(error) }) as unknown as Client;
    expect(await isRunAsProcess(failing(forbidden({ group: "", resource: "nodes" }, "", "not yours")))).toBe(false);
    await expect(isRunAsProcess(failing(new Error("away")))).rejects.toThrow("away");
  });
});

it("reconciles after deployment, without image and registry", async () => {
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
  // A control plane without root privileges starts processes only as its own user, so it chooses the user.
  const { template } = (await client.get(Deployment, "shop-system/shop-controller-manager")).spec;
  expect(template.spec?.securityContext).toMatchObject({ runAsNonRoot: true });
  expect(template.spec?.securityContext).not.toHaveProperty("runAsUser");
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
