import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isNotFound, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition, Namespace, Service } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { expect, it, onTestFinished } from "vitest";
import { Child } from "../testing/child.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

const command = fileURLToPath(new URL("../testing/kubewright.ts", import.meta.url));
const name = "sites.shop.example.com";

it("installs, checks and uninstalls definitions, and refuses to delete objects", async () => {
  await using plane = await startControlPlane({});
  await using client = new Client({ connection: plane.connection() });
  using project = new ProjectFolder();
  await project.init();
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  const run = (...words: string[]) => project.run(...words, "--kubeconfig", "kubeconfig");
  expect(await run("install")).toMatchObject({ code: 2, err: expect.stringContaining("defines no kinds") });
  expect((await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site")).code).toBe(0);

  const line = `customresourcedefinition.apiextensions.k8s.io/${name}`;
  expect(await run("install", "--dry-run")).toEqual({ code: 0, out: `${line} applied (dry run)\n`, err: "" });
  await expect(client.get(CustomResourceDefinition, name)).rejects.toSatisfy(isNotFound);
  expect(await run("install")).toEqual({ code: 0, out: `${line} applied\n`, err: "" });
  const site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
  expect((await run("apply", "-f", "config/samples")).out).toBe("site.shop.example.com/example in default applied\n");

  for (const against of ["cluster", "config/crd"]) expect((await run("check", "--against", against)).code).toBe(0);
  const api = project.files()["src/api/site.ts"] ?? "";
  writeFileSync(
    join(project.root, "src/api/site.ts"),
    api.replace("message: Type.String({", "message: Type.Integer({").replace('"hello"', "1"),
  );
  const broken = await run("check", "--against", "cluster");
  expect(broken.code).toBe(1);
  expect(broken.err).toContain(`${name}: v1 spec.message: `);
  expect((await run("check", "--against", "nosuch")).code).toBe(1);
  writeFileSync(join(project.root, "src/api/site.ts"), api);

  expect(await run("uninstall")).toMatchObject({
    code: 1,
    err: `there are 1 ${name}; delete them first, or pass --delete-objects\n`,
  });
  expect((await client.get(site, "default/example")).metadata.name).toBe("example");
  const held = { metadata: { finalizers: ["shop.example.com/slow"] } };
  await client.patch(site, "default/example", held);
  for (const words of [
    ["--timeout", "0s"],
    ["--timeout", "1s", "--json"],
  ]) {
    const { code, out, err } = await run("uninstall", "--delete-objects", ...words);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(`${line} is still being deleted`),
    });
    expect(out).not.toContain('deleted"');
  }
  await client.patch(site, "default/example", { metadata: { finalizers: null } });
  await expect.poll(() => client.get(CustomResourceDefinition, name).then(() => "there", isNotFound)).toBe(true);
  expect((await run("install")).code).toBe(0);
  expect(await run("uninstall", "--delete-objects")).toMatchObject({ code: 0, out: `${line} deleted\n` });
  await expect.poll(() => client.get(CustomResourceDefinition, name).then(() => "there", isNotFound)).toBe(true);
  expect(await run("uninstall")).toEqual({ code: 0, out: "", err: "" });
}, 300_000);

it("refuses definitions without a conversion service in the cluster", async () => {
  await using plane = await startControlPlane({});
  await using client = new Client({ connection: plane.connection() });
  using project = new ProjectFolder();
  await project.init();
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  const run = (...words: string[]) => project.run(...words, "--kubeconfig", "kubeconfig");
  const site = (version: string) => ["--group", "shop", "--version", version, "--kind", "Site"];
  for (const version of ["v1", "v1beta1"]) await project.run("create", "api", ...site(version));
  await project.run("create", "webhook", ...site("v1"), "--conversion", "--hub", "v1", "--spoke", "v1beta1");
  const refused = {
    code: 1,
    out: "",
    err: `${name} was not applied: the service shop-system/shop-webhook-service, which converts its objects between v1, v1beta1, does not exist, so objects could be read or deleted only in their stored version
  run npx kubewright deploy, which applies them with their conversion webhook
`,
  };
  for (const words of [[], ["--dry-run"]]) expect(await run("install", ...words)).toEqual(refused);
  await expect(client.get(CustomResourceDefinition, name)).rejects.toSatisfy(isNotFound);

  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const words = ["--conditions=@kubewright/source", command, "dev", "--cluster", "current", "--console", "off"];
  const env = { PATH, NODE_COMPILE_CACHE, HOME: project.root, KUBECONFIG: "kubeconfig" };
  const dev = new Child(process.execPath, words, env, project.root);
  onTestFinished(() => dev.kill("SIGKILL"));
  await dev.prints(
    /does not exist, so objects .*\n {2}run npx kubewright deploy.*, or pass --cluster embedded, where this machine converts\n {2}waiting for the next save\n/,
  );
  dev.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
  await expect(client.get(CustomResourceDefinition, name)).rejects.toSatisfy(isNotFound);

  await client.create(Namespace, { metadata: { name: "shop-system" } });
  await client.create(Service, {
    metadata: { name: "shop-webhook-service", namespace: "shop-system" },
    spec: { ports: [{ port: 443 }] },
  });
  expect(await run("install")).toMatchObject({ code: 0, err: "" });
}, 300_000);
