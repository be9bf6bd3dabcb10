import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseReference } from "../image/registry/reference.ts";
import { defaultBase } from "../project/default-base.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

const flags = ["--domain", "example.com", "--name", "shop", "--no-install", "--no-git"];

it("writes a project once, and nothing the second time", async () => {
  using project = new ProjectFolder();
  const { code, out } = await project.run("init", ...flags);
  expect(code).toBe(0);
  const files = project.files();
  const [written = "", next] = out.split("next steps (README.md lists more):\n");
  expect(written.trim().split(/\s+/).sort()).toEqual(Object.keys(files).sort());
  expect(next).toBe("  npm install && npx kubewright create api --group shop --version v1 --kind Site\n");
  expect(JSON.parse(files["kubewright.json"] ?? "")).toMatchObject({
    name: "shop",
    domain: "example.com",
    namespaced: false,
    base: defaultBase,
  });
  expect(parseReference(defaultBase, "base")).toMatchObject({
    host: "gcr.io",
    tag: "nonroot",
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  expect(files.Dockerfile?.split("\n")).toEqual(
    expect.arrayContaining([`FROM ${defaultBase}`, 'ENTRYPOINT ["/nodejs/bin/node", "src/main.ts"]']),
  );
  expect(files.Dockerfile).toContain("docker buildx imagetools inspect node:24-slim");
  const bases = (files.Dockerfile?.match(/^FROM .*/gm) ?? []).map((line) => line.split(" ")[1] ?? "");
  expect(bases).toHaveLength(2);
  for (const base of bases) expect(parseReference(base, "FROM").digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await project.run("init", ...flags)).toEqual({ code: 0, out: "", err: "" });
  expect(project.files()).toEqual(files);
  expect((await project.run("init", "a/mall", "--domain", "example.com", "--no-install", "--no-git")).out).toMatch(
    /\n {2}cd a\/mall && npm install && npx kubewright create api --group mall --version v1 --kind Site\n$/,
  );
  expect((await project.run("init", "quiet", "--quiet", ...flags)).out).toBe("");
});

it("does not overwrite files of the user or of other projects", async () => {
  using project = new ProjectFolder();
  await project.run("init", ...flags);
  writeFileSync(join(project.root, "README.md"), "# mine\n");
  expect((await project.run("init", ...flags)).code).toBe(0);
  expect(project.files()["README.md"]).toBe("# mine\n");
  const settings = JSON.parse(project.files()["kubewright.json"] ?? "");
  const more = { base: "oci:base", deployment: { replicas: 2 }, rbac: { aggregate: true } };
  writeFileSync(join(project.root, "kubewright.json"), JSON.stringify({ ...settings, ...more }));
  expect(await project.run("init", ...flags)).toEqual({ code: 0, out: "", err: "" });
  expect(await project.run("init", ...flags.with(1, "example.org"))).toMatchObject({ code: 1 });

  using other = new ProjectFolder();
  writeFileSync(join(other.root, "package.json"), "{}\n");
  expect((await other.run("init", ...flags)).err).toContain("already contains package.json; pass --force to overwrite");
  expect(other.files()).toEqual({ "package.json": "{}\n" });
  expect((await other.run("init", ...flags, "--force")).code).toBe(0);

  using full = new ProjectFolder();
  writeFileSync(join(full.root, "thesis.tex"), "");
  expect((await full.run("init", ...flags)).err).toContain("is not empty");
});

it("does not ask without a terminal, and reports missing flags", async () => {
  using project = new ProjectFolder();
  expect(await project.run("init")).toMatchObject({ code: 2, err: "init: missing --domain\n" });
  expect((await project.run("init", "--domain", "com", "--name", "shop")).err).toContain('such as "example.com"');
  expect((await project.run("init", "--domain", "example.com", "--name", "Shop_1")).err).toContain('such as "shop"');
  expect(await project.run("init", ...flags, "--ci", "jenkins")).toMatchObject({ code: 2 });
  expect(project.files()).toEqual({});
});

it("lets git ignore kubeconfigs, but no source files", async () => {
  using project = new ProjectFolder();
  await project.init();
  const git = (...words: string[]) => spawnSync("git", words, { cwd: project.root, encoding: "utf8" }).stdout;
  git("init", "--quiet");
  const paths = [
    "kubeconfig",
    ".kubewright/kubeconfig",
    "deploy/prod.kubeconfig",
    ".kubewright/base.json",
    "src/kubeconfig.ts",
  ];
  expect(
    git("check-ignore", ...paths)
      .trim()
      .split("\n"),
  ).toEqual(paths.slice(0, 3));
});

it("pins the actions of the generated CI to commits", async () => {
  using project = new ProjectFolder();
  await project.run("init", ...flags, "--ci", "github");
  const used = project.files()[".github/workflows/ci.yml"]?.match(/uses: .*/g) ?? [];
  expect(used).toHaveLength(2);
  for (const one of used) expect(one).toMatch(/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
