import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ReleaseCommand, releaseCommand } from "./release-command.ts";

let folder: string;
let root: string;

const write = (path: string, content: string | object): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
  writeFileSync(join(root, path), text);
};
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const git = (...args: string[]): string =>
  run("git", ["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false", ...args], {
    cwd: root,
  });
const commit = (message: string): void => {
  git("add", "-A");
  git("commit", "--quiet", "--allow-empty", "-m", message);
};
const member = (name: string, dependencies: readonly string[] = [], more: object = {}): void => {
  const named = Object.fromEntries(dependencies.map((each) => [each, "0.1.0"]));
  const manifest = { name, version: "0.1.0", license: "Apache-2.0", type: "module", dependencies: named };
  write(`packages/${name}/package.json`, { ...manifest, ...more });
  write(`packages/${name}/README.md`, `# ${name}\n`);
  write(`packages/${name}/index.js`, `export const name = "${name}";\n`);
};
const release = (command: Partial<ReleaseCommand> = {}): string => {
  const work = mkdtempSync(join(folder, "work-"));
  const options = { isDryRun: true, isHelp: false, version: undefined, output: undefined };
  return releaseCommand(root, { ...options, work, environment: {}, ...command });
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "release-"));
  root = join(folder, "workspace");
  const manifest = { name: "w", version: "0.1.0", private: true, license: "Apache-2.0" };
  write("package.json", { ...manifest, workspaces: ["packages/*"] });
  write(".gitignore", "node_modules/\ndist/\n");
  write("LICENSE", "Apache License\n");
  write("CHANGELOG.md", "# Changelog\n\n## 0.2.0 (unreleased)\n\n- Written by hand.\n");
  write("agent.txt", "agent/0.1.0 (linux)\n");
  write("tools/release/versions.json", [{ file: "agent.txt", before: "agent/" }]);
  const limit = { packedBytes: 2_000, unpackedBytes: 2_000 };
  write("tools/package-checks/sizes.json", { above: limit, below: limit });
  const build = "node -e \"require('fs').writeFileSync('built.js', 'export {};')\"";
  member("above", ["below"], { scripts: { build } });
  member("below");
  member("hidden", ["above"], { private: true });
  run("npm", ["install", "--package-lock-only", "--ignore-scripts", "--offline"], { cwd: root });
  git("init", "--quiet");
  commit("feat: the first");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a dry run", { timeout: 120_000 }, () => {
  it("makes the release in copies and leaves the tree unchanged", () => {
    const before = git("rev-parse", "HEAD");
    const output = join(folder, "out");
    const printed = release({ output });
    expect(git("status", "--porcelain", "--ignored")).toBe("");
    expect(git("rev-parse", "HEAD")).toBe(before);

    expect(printed).toContain("kubewright 0.2.0, the first release: 1 commits");
    expect(printed).toContain("version and changelog: 36 lines change (release.patch)");
    expect(printed).toContain("Order of publishing\n   1  below\n   2  above\n");
    expect(printed).toContain("SBOM: CycloneDX, 2 components\n  above 0.2.0 Apache-2.0\n  below 0.2.0 Apache-2.0\n");
    expect(printed).toContain("made twice with equal bytes");
    expect(printed).toContain("nothing was published");
    expect(readdirSync(output).sort()).toEqual(
      "CHANGELOG.md above-0.2.0.tgz below-0.2.0.tgz release.patch sbom.cdx.json tarballs.json".split(" "),
    );
    const packed = run("tar", ["-tzf", join(output, "above-0.2.0.tgz")], { cwd: root });
    expect(packed.trim().split("\n").sort()).toEqual(
      ["LICENSE", "README.md", "built.js", "index.js", "package.json"].map((path) => `package/${path}`),
    );
    const sbom = JSON.parse(readFileSync(join(output, "sbom.cdx.json"), "utf8")) as {
      readonly metadata: { readonly timestamp: string };
      readonly serialNumber: string;
    };
    const committed = Number(git("log", "-1", "--format=%ct")) * 1000;
    expect(Date.parse(sbom.metadata.timestamp)).toBe(committed);
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("produces a patch that sets the version everywhere, after which CI publishes the tag", () => {
    const output = join(folder, "out");
    release({ output });
    git("apply", join(output, "release.patch"));
    const manifest = (name: string): unknown => JSON.parse(read(`packages/${name}/package.json`));
    expect(manifest("above")).toMatchObject({ version: "0.2.0", dependencies: { below: "0.2.0" } });
    expect(manifest("hidden")).toMatchObject({ version: "0.2.0", dependencies: { above: "0.2.0" } });
    expect(read("agent.txt")).toBe("agent/0.2.0 (linux)\n");
    expect(read("package-lock.json")).not.toContain("0.1.0");
    expect(read("CHANGELOG.md")).toMatch(
      /^# Changelog\n\n## 0.2.0 \(\d{4}-\d\d-\d\d\)\n\n- Written by hand.\n\n### From the/,
    );

    commit("chore: release 0.2.0");
    git("tag", "v0.2.0");
    const environment = { ACTIONS_ID_TOKEN_REQUEST_URL: "https://x", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "y" };
    expect(() => release({ isDryRun: false, environment })).toThrow(
      "cannot publish:\n  package.json of the workspace: repository: Required value: ",
    );
    const url = "git+https://example.com/w.git";
    const origin = { homepage: "https://w.example.com", bugs: "https://example.com/w/issues" };
    write("package.json", { ...(JSON.parse(read("package.json")) as object), ...origin, repository: url });
    commit("chore: where it lives");
    git("tag", "--force", "v0.2.0");
    const tagged = join(folder, "tagged");
    const printed = release({ isDryRun: false, environment, output: tagged });
    expect(printed).toContain("version and changelog: as tagged");
    const packed = run("tar", ["-xzOf", join(tagged, "above-0.2.0.tgz"), "package/package.json"], { cwd: root });
    const repository = { type: "git", url, directory: "packages/above" };
    expect(JSON.parse(packed)).toMatchObject({ name: "above", ...origin, repository });
    expect(printed.split("\n").slice(-3)).toEqual([
      "GitHub Actions publishes with these commands; this program does not run them",
      "  npm publish ./below-0.2.0.tgz --access public --provenance",
      "  npm publish ./above-0.2.0.tgz --access public --provenance",
    ]);
    expect(readFileSync(join(tagged, "publish.sh"), "utf8")).toMatch(
      /^#!\/bin\/sh\n[\s\S]*\nset -eu\n[\s\S]*below[\s\S]*above/,
    );
    expect(readFileSync(join(tagged, "release.patch"), "utf8")).toBe("");
  });

  it("detects a build that is not reproducible", () => {
    const build = "node -e \"require('fs').writeFileSync('built.js', String(process.hrtime.bigint()))\"";
    member("above", ["below"], { scripts: { build } });
    commit("fix: a clock");
    expect(() => release()).toThrow(
      /^the same commit gave different bytes the second time: tarballs.json, above-0.2.0.tgz$/,
    );
  });

  it("refuses a tarball that lacks files named in its package.json", () => {
    member("above", ["below"], { files: ["built.js", "site", "!**/*.map"], scripts: { build: "node -e 0" } });
    commit("fix: a build that makes nothing");
    expect(() => release()).toThrow(/^above: "files" names built.js, which does not exist; run npm run build$/);
  });

  it("refuses a tarball that is too large", () => {
    write("tools/package-checks/sizes.json", {
      above: { packedBytes: 2_000, unpackedBytes: 10 },
      below: { packedBytes: 2_000, unpackedBytes: 2_000 },
    });
    commit("test: a narrow limit");
    expect(() => release()).toThrow(
      /^above: unpackedBytes \d+; the limit is 10 \(tools\/package-checks\/sizes.json\)$/,
    );
  });
});

describe("a release fails", () => {
  it("if there are uncommitted changes", () => {
    write("packages/above/index.js", "export {};\n");
    write("new.txt", "x");
    expect(() => release()).toThrow(/^uncommitted changes; .*\n {3}M packages\/above\/index.js\n {2}\?\? new.txt$/);
  });

  it("outside of CI without --dry-run", () => {
    expect(() => release({ isDryRun: false, environment: { CI: "true", NPM_TOKEN: "x" } })).toThrow(
      "only CI can publish",
    );
  });

  it("if the version is invalid, too low or differs from the announced one", () => {
    expect(() => release({ version: "next" })).toThrow('--version "next" is not a version');
    expect(() => release({ version: "0.3.0" })).toThrow("CHANGELOG.md announces 0.2.0");
    git("tag", "v0.2.0");
    commit("feat!: all is new");
    expect(() => release()).toThrow("version 0.2.0 is too low after 0.2.0");
  });

  it("if the tag and the packages have different versions, or if the version is missing in the changelog", () => {
    git("tag", "v0.2.0");
    expect(() => release()).toThrow("the commit is tagged v0.2.0, but its packages have version 0.1.0");
    git("tag", "--delete", "v0.2.0");
    git("tag", "v0.1.0");
    expect(() => release()).toThrow('CHANGELOG.md has no section "## 0.1.0 (date)"');
    expect(() => release({ version: "0.2.0" })).toThrow("--version 0.2.0: the commit is tagged v0.1.0");
  });

  it("if the clone is shallow", () => {
    commit("fix: another");
    const clone = join(folder, "clone");
    run("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone], { cwd: folder });
    root = clone;
    expect(() => release()).toThrow("the clone is shallow");
  });

  it("if packages have different versions, no README or another licence", () => {
    member("below", [], { version: "0.1.1" });
    commit("fix: one alone");
    expect(() => release()).toThrow("packages/below/package.json: version 0.1.1 differs from the common version 0.1.0");
    member("below", [], { license: "MIT" });
    commit("fix: a licence");
    expect(() => release()).toThrow('below: "license" is MIT; the workspace\'s is Apache-2.0');
    member("below");
    rmSync(join(root, "packages/below/README.md"));
    commit("fix: no words");
    expect(() => release()).toThrow("below: no README.md");
  });
});
