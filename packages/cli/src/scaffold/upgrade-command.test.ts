import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { defaultBase } from "../project/default-base.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

const recorded = JSON.parse(readFileSync(new URL("../testing/earlier-scaffold.json", import.meta.url), "utf8")) as {
  readonly files: Readonly<Record<string, string>>;
};

/** A project written by an earlier init. */
function earlierProject(): ProjectFolder & { write(path: string, text: string): void } {
  const project = new ProjectFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project.root, path)), { recursive: true });
    writeFileSync(join(project.root, path), text);
  };
  for (const [path, text] of Object.entries(recorded.files)) write(path, text);
  write(".kubewright/base.json", `${JSON.stringify(recorded.files, undefined, 2)}\n`);
  return Object.assign(project, { write });
}

const baseOf = (project: ProjectFolder): Record<string, string> =>
  JSON.parse(project.files()[".kubewright/base.json"] ?? "");

it("merges changes to an earlier scaffold, and marks the one conflict", async () => {
  using project = earlierProject();
  const { write } = project;
  const was = (path: string): string => recorded.files[path] ?? "";
  const titled = (text = ""): string => text.replace("# shop\n", "# My shop\n");
  write("README.md", titled(was("README.md")));
  const commented = (text = ""): string => text.replace("RUN npm ci", "# mine\nRUN npm ci");
  write("Dockerfile", commented(was("Dockerfile")));
  write("src/operator.ts", was("src/operator.ts").replace(":8081", ":9081"));
  write("vitest.config.ts", "// mine\n");
  const settings = JSON.parse(was("kubewright.json"));
  write("kubewright.json", `${JSON.stringify({ ...settings, deployment: { replicas: 2 } }, undefined, 2)}\n`);
  rmSync(join(project.root, ".github"), { recursive: true });
  const before = project.files();

  const dry = await project.run("upgrade", "--dry-run");
  expect(project.files()).toEqual(before);
  const real = await project.run("upgrade");
  expect(real).toEqual({
    ...dry,
    out: expect.stringMatching(/^[\s\S]*next, run: npm install && npx kubewright generate\n$/),
  });
  expect(real.code).toBe(1);
  expect(real.err).toBe("src/operator.ts conflict: 1 conflict to resolve\n");
  expect(real.out.split("\n")).toEqual(
    expect.arrayContaining([
      "Dockerfile merged",
      "README.md merged",
      "kubewright.json replaced",
      "package.json replaced",
    ]),
  );

  using fresh = new ProjectFolder();
  await fresh.init("--ci", "github");
  const now = fresh.files();
  const files = project.files();
  expect(files["README.md"]).toBe(titled(now["README.md"]));
  expect(files.Dockerfile).toBe(commented(now.Dockerfile));
  expect(files["package.json"]).toBe(now["package.json"]);
  expect(files["vitest.config.ts"]).toBe("// mine\n");
  expect(files).not.toHaveProperty([".github/workflows/ci.yml"]);
  expect(JSON.parse(files["kubewright.json"] ?? "")).toMatchObject({ version: "0.1.0", deployment: { replicas: 2 } });
  expect(files["src/operator.ts"]).toMatch(
    /<<<<<<< yours\n[\s\S]*:9081[\s\S]*=======\n[\s\S]*certificates[\s\S]*>>>>>>> kubewright 0\.1\.0\n/,
  );
  const base = baseOf(project);
  expect(base["src/operator.ts"]).toBe(was("src/operator.ts"));
  expect({ ...base, "src/operator.ts": "" }).toEqual({ ...baseOf(fresh), "src/operator.ts": "" });

  // A second upgrade changes nothing, and init does not mark the upgrade as done.
  expect((await project.run("upgrade")).err).toContain("resolve them");
  const init = ["init", "--domain", "example.com", "--name", "shop", "--ci", "github", "--no-install", "--no-git"];
  expect(await project.run(...init)).toMatchObject({ code: 0, out: "  .github/workflows/ci.yml\n" });
  rmSync(join(project.root, ".github"), { recursive: true });
  expect(project.files()).toEqual(files);
  write("src/operator.ts", (now["src/operator.ts"] ?? "").replace(":8081", ":9081"));
  expect(await project.run("upgrade")).toEqual({ code: 0, out: "", err: "" });
  expect(baseOf(project)).toEqual(baseOf(fresh));
  expect(project.files()).not.toHaveProperty([".kubewright/conflicts.json"]);
}, 60_000);

it("has nothing to do right after init", async () => {
  using project = new ProjectFolder();
  await project.init();
  const files = project.files();
  expect(await project.run("upgrade")).toEqual({ code: 0, out: "", err: "" });
  expect(project.files()).toEqual(files);
});

it("updates the base image, unless the user changed or removed it", async () => {
  const earlier = `registry.example.com/node@sha256:${"1".repeat(64)}`;
  const own = "oci:base";
  for (const [written, there, next] of [
    [undefined, undefined, defaultBase],
    [earlier, earlier, defaultBase],
    [earlier, own, own],
    [earlier, undefined, undefined],
    [undefined, own, own],
  ]) {
    using project = earlierProject();
    const settings = (base: string | undefined): string =>
      JSON.stringify({ ...JSON.parse(recorded.files["kubewright.json"] ?? ""), rbac: { aggregate: true }, base });
    const record = { ...recorded.files, "kubewright.json": settings(written) };
    project.write(".kubewright/base.json", JSON.stringify(record));
    project.write("kubewright.json", settings(there));
    expect((await project.run("upgrade")).code).toBe(0);
    const saved = JSON.parse(project.files()["kubewright.json"] ?? "");
    expect([written, there, saved.base, saved.version]).toEqual([written, there, next, "0.1.0"]);
    expect(JSON.parse(baseOf(project)["kubewright.json"] ?? "")).toMatchObject({ base: defaultBase });
    expect(baseOf(project)["kubewright.json"]).not.toContain("rbac");
    expect(await project.run("upgrade")).toEqual({ code: 0, out: "", err: "" });
    const again = JSON.parse(project.files()["kubewright.json"] ?? "");
    expect(again).toEqual(saved);
  }
}, 60_000);

it("updates the base image also in a project of the same version", async () => {
  using project = earlierProject();
  await project.run("upgrade");
  const { base: _base, ...without } = JSON.parse(project.files()["kubewright.json"] ?? "");
  const files = { ...baseOf(project), "kubewright.json": JSON.stringify(without) };
  project.write(".kubewright/base.json", JSON.stringify(files));
  project.write("kubewright.json", JSON.stringify(without));
  expect(await project.run("upgrade")).toEqual({ code: 0, out: "kubewright.json replaced\n", err: "" });
  expect(JSON.parse(project.files()["kubewright.json"] ?? "")).toEqual({ ...without, base: defaultBase });
  project.write(".kubewright/base.json", JSON.stringify({ ...files, "kubewright.json": "{" }));
  expect(await project.run("upgrade")).toEqual({ code: 0, out: "", err: "" });
}, 60_000);

it("reports missing prerequisites, and warns of uncommitted changes", async () => {
  using project = earlierProject();
  const git = (...words: string[]): void => void spawnSync("git", words, { cwd: project.root });
  git("init", "--quiet");
  const { code, err } = await project.run("upgrade");
  expect({ code, err }).toEqual({
    code: 0,
    err: "there are uncommitted changes; git diff will show them together with the changes made by this upgrade\n",
  });
  const saved = JSON.parse(project.files()["kubewright.json"] ?? "");
  project.write("kubewright.json", JSON.stringify({ ...saved, version: "9.0.0" }));
  expect(await project.run("upgrade")).toMatchObject({
    code: 2,
    err: expect.stringContaining('"9.0.0" is later than'),
  });
  project.write("kubewright.json", JSON.stringify(saved));
  project.write(".kubewright/base.json", '{ "../../x": "" }');
  expect((await project.run("upgrade")).err).toBe(".kubewright/base.json: must map paths to strings\n");
  rmSync(join(project.root, ".kubewright"), { recursive: true });
  expect(await project.run("upgrade")).toMatchObject({ code: 1, err: expect.stringContaining("restore it from git") });
}, 60_000);
