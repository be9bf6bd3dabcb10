import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const of = (version: string) => ["--group", "shop", "--version", version, "--kind", "Site"];

/** A project whose kind is defined in two files with shared code. */
async function sharing(): Promise<ProjectFolder> {
  const project = new ProjectFolder();
  await project.init();
  for (const version of ["v1", "v1beta1"]) await project.run("create", "api", ...of(version));
  const shared = 'export const shared = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;\n';
  mkdirSync(join(project.root, "src/parts"));
  writeFileSync(join(project.root, "src/parts/shared.ts"), shared);
  for (const name of ["site", "site-v1beta1"]) {
    const path = join(project.root, `src/api/${name}.ts`);
    const text = readFileSync(path, "utf8").replace(/^ {2}(?:group|kind|scope): .*\n/gm, "");
    const spread = text.replace("defineKind({\n", "defineKind({\n  ...shared,\n");
    writeFileSync(path, `import { shared } from "../parts/shared.ts";\n${spread}`);
  }
  return project;
}

it("finds kinds by their values, regardless of how files define them", async () => {
  using project = await sharing();
  const before = project.files();
  expect(before["src/api/site.ts"]).toContain("...shared");
  expect(before["src/api/site.ts"]).not.toMatch(/group|kind:|scope/);
  expect(await project.run("generate", "--check")).toEqual({ code: 0, out: "", err: "" });

  const webhook = await project.run("create", "webhook", ...of("v1"), "--defaulting");
  expect(webhook).toMatchObject({ code: 0, err: "", out: expect.stringContaining("  src/webhooks/site.ts\n") });
  const conversion = ["--conversion", "--hub", "v1", "--spoke", "v1beta1"];
  expect(await project.run("create", "webhook", ...of("v1"), ...conversion)).toMatchObject({ code: 0, err: "" });
  const text = project.files()["src/webhooks/site-conversion.ts"];
  expect(text).toContain('import { SiteV1Beta1 } from "../api/site-v1beta1.ts";');

  expect(await project.run("create", "webhook", ...of("v2"), "--defaulting")).toEqual({
    code: 2,
    out: "",
    err: '--kind "Site" has no version shop.example.com/v2, only v1, v1beta1; run kubewright create api --group shop --version v2 --kind Site\n',
  });
  expect((await project.run("create", "api", ...of("v2"), "--cluster-scoped")).err).toContain(
    "src/api/site-v1beta1.ts defines the scope Namespaced, so src/api/site-v2.ts cannot define Cluster",
  );
  expect((await project.run("generate", "clientset")).code).toBe(0);
  expect(project.files()["src/clientset.ts"]).toContain('import { SiteV1Beta1 } from "./api/site-v1beta1.ts";');
}, 300_000);

it("names the file of src/api that cannot be imported, and writes nothing", async () => {
  using project = await sharing();
  writeFileSync(join(project.root, "src/api/odd.ts"), 'throw new Error("not today");\n');
  const before = project.files();
  expect(await project.run("create", "webhook", ...of("v1"), "--defaulting")).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(/^src\/api\/odd\.ts:1:7: not today\n$/),
  });
  expect(project.files()).toEqual(before);
}, 300_000);
