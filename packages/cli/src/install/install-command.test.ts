import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNotFound, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const name = "sites.shop.example.com";

it("installs, checks and uninstalls the program's definitions, and refuses what would lose objects", async () => {
  await using plane = await startControlPlane({});
  await using client = new Client({ connection: plane.connection() });
  using project = new ProjectFolder();
  await project.init();
  writeFileSync(join(project.root, "kubeconfig"), plane.kubeconfig, { mode: 0o600 });
  const run = (...words: string[]) => project.run(...words, "--kubeconfig", "kubeconfig");
  expect(await run("install")).toMatchObject({ code: 2, err: expect.stringContaining("has no kinds") });
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
    err: `there are 1 ${name}: delete them first, or --delete-objects\n`,
  });
  expect((await client.get(site, "default/example")).metadata.name).toBe("example");
  expect(await run("uninstall", "--delete-objects")).toMatchObject({ code: 0, out: `${line} deleted\n` });
  await expect.poll(() => client.get(CustomResourceDefinition, name).then(() => "there", isNotFound)).toBe(true);
  expect(await run("uninstall")).toEqual({ code: 0, out: "", err: "" });
}, 300_000);
