import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { describeProgram } from "./describe-program.ts";

const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];

it("tells what is stale, writes it, and takes away what is nobody's any more", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  const write = (path: string, text: string): void => writeFileSync(join(project.root, path), text);
  const api = project.files()["src/api/site.ts"] ?? "";
  write("src/api/site.ts", api.replace("What it says", "What it tells"));
  const { code, err } = await project.run("generate", "--check");
  expect(code).toBe(1);
  expect(err).toBe(
    "config/crd/shop.example.com_sites.yaml: is stale: run kubewright generate\ndocs/reference/site.md: is stale: run kubewright generate\n",
  );
  expect(await project.run("generate", "crd")).toEqual({
    code: 0,
    out: "  config/crd/shop.example.com_sites.yaml\n",
    err: "",
  });
  expect((await project.run("generate")).out).toBe("  docs/reference/site.md\n");

  write("config/crd/old.yaml", "# Written by kubewright generate; change src/, or patch in config/overlays\n");
  write("config/crd/mine.yaml", "# mine\n");
  expect((await project.run("generate", "--check")).err).toContain("config/crd/old.yaml: is stale");
  expect((await project.run("generate")).out).toBe("  config/crd/old.yaml (removed)\n");
  expect(project.files()["config/crd/mine.yaml"]).toBe("# mine\n");
  expect(await project.run("generate", "crds")).toMatchObject({ code: 2 });
}, 300_000);

it("says where in the project's code something is wrong", async () => {
  using project = new ProjectFolder();
  await project.init();
  const operator = (text: string): void => writeFileSync(join(project.root, "src/operator.ts"), text);
  operator('export function setup(): void {\n  throw new Error("no colour");\n}\n');
  expect(await project.run("generate")).toMatchObject({ code: 1, err: "src/operator.ts:2:9: no colour\n" });
  operator("export const setUp = 1;\n");
  expect((await project.run("generate")).err).toContain("src/operator.ts: exports no function setup");
  operator("export const setup = () => new Promise(() => {});\n");
  expect((await project.run("generate")).err).toMatch(/^src\/operator\.ts: ended with .* and said nothing of itself/);
  rmSync(join(project.root, "src/operator.ts"));
  expect(await project.run("generate")).toMatchObject({ code: 2 });

  operator("export function setup(): void {\n  for (;;);\n}\n");
  const { signal } = new AbortController();
  const endless = describeProgram(project.root, "src/operator.ts", { signal, err: () => {}, timeoutMs: 2_000 });
  await expect(endless).rejects.toThrow("src/operator.ts: has not ended within 2 s");
}, 300_000);

it("writes no definition that the API server would refuse", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  const api = project.files()["src/api/site.ts"] ?? "";
  const broken = api
    .replace("{ defineKind,", "{ cel, defineKind,")
    .replace("  columns:", '  rules: { spec: [cel("self.mesage != \'\'", "say something")] },\n  columns:');
  writeFileSync(join(project.root, "src/api/site.ts"), broken);
  const { code, err } = await project.run("generate");
  expect(code).toBe(1);
  expect(err).toContain("undefined field 'mesage'");
  expect(project.files()["config/crd/shop.example.com_sites.yaml"]).not.toContain("mesage");
}, 300_000);

it("writes types from a definition, and a clientset of the project's own", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  expect((await project.run("generate", "kinds", "-f", "config/crd/shop.example.com_sites.yaml")).out).toBe(
    "  src/external/site.ts\n",
  );
  expect(project.files()["src/external/site.ts"]).toContain("export interface SiteSpec");
  expect((await project.run("generate", "kinds", "-f", "package.json")).err).toContain("apiVersion");
  expect((await project.run("generate", "kinds", "-f", "config/crd/kustomization.yaml")).code).toBe(1);
  expect(await project.run("generate", "kinds")).toMatchObject({ code: 2 });
  expect((await project.run("generate", "clientset")).out).toBe("  src/clientset.ts\n");
  expect(project.files()["src/clientset.ts"]).toContain('import { Site } from "./api/site.ts";');
  expect(await project.run("generate", "clientset")).toEqual({ code: 0, out: "", err: "" });
}, 300_000);
