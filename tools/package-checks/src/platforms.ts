import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { run } from "./command.ts";
import { installedNode } from "./nodes.ts";
import { publishablePackages } from "./packages.ts";
import { runtimeChecks, runtimeProject, runtimes, startServer } from "./runtimes.ts";
import { serve } from "./served.ts";
import { packAll } from "./tarballs.ts";

const compilers = ["5.7.3", "5.8.3", "5.9.3", "6.0.3", "7.0.2"] as const;
const nodes = ["22.19.0", "24.21.0", "26.12.1"] as const;
/** Packages whose unit tests run on each Node. */
const libraries = ["lazy-json", "leader-election", "workqueue"] as const;
const example = "11-recipes";

/** Configuration of the unit tests: a file that the package contains is read from there. */
const configuration = `
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { defineConfig } from "vitest/config";

const fromPackage = {
  name: "from-package",
  enforce: "pre",
  resolveId(source, importer) {
    if (!source.startsWith(".") || !importer?.startsWith(import.meta.dirname)) return undefined;
    const [library, , ...path] = relative(import.meta.dirname, join(dirname(importer), source)).split("/");
    const packed = join(import.meta.dirname, "node_modules/@kubewright", library, "dist", ...path).replace(/\\.ts$/, ".js");
    return existsSync(packed) ? packed : undefined;
  },
};

export default defineConfig({
  plugins: [fromPackage],
  test: { include: ["*/src/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } },
});
`;

const usage = `npm run test:platforms [-- --only typescript|node|runtimes]

Packs the public packages, and installs them from a registry on this machine. Then checks them, and prints a table:

- with TypeScript ${compilers.join(", ")}: a generated project and examples/${example} compile with their
  tsconfig.json and skipLibCheck: false (5.7 without erasableSyntaxOnly, which it does not have)
- with Node.js ${nodes.join(", ")}: unit tests of ${libraries.join(", ")}
- with Bun, Deno and this Node.js: programs with a client, a controller, webhooks, an API server, and the command

Requires npm's registry and "npm run build".`;

const { values } = parseArgs({
  options: { only: { type: "string" }, help: { type: "boolean", short: "h", default: false } },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const parts = ["typescript", "node", "runtimes"];
if (values.only !== undefined && !parts.includes(values.only)) {
  console.error(`--only ${values.only}: must be ${parts.map((part) => `"${part}"`).join(" or ")}\n\n${usage}`);
  process.exit(2);
}
const isWanted = (part: string): boolean => (values.only ?? part) === part;
const root = resolve(import.meta.dirname, "..", "..", "..");
const work = mkdtempSync(join(tmpdir(), "kubewright-platforms-"));
// The scripts of the workspace resolve packages to their sources, but a user's project must not do this.
for (const name of ["NODE_OPTIONS", "npm_config_node_options"]) delete process.env[name];

try {
  const packages = publishablePackages(root);
  const tarballs = packAll(packages, work);
  using served = await serve(join(work, "registry"), tarballs);
  row("what", "version", "check", "result", "seconds");
  if (isWanted("node")) checkNodes(unitTests(served.env));
  if (isWanted("typescript")) checkCompilers([generatedProject(served.env), copiedExample(served.env)]);
  if (isWanted("runtimes")) await checkRuntimes(served.env);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function row(...cells: readonly string[]): void {
  console.log(cells.map((cell, at) => cell.padEnd([12, 9, 52, 28, 0][at] ?? 0)).join(" "));
}

/** Runs a check, and prints its row. `check` returns the result. */
function checked(what: string, version: string, name: string, check: () => string): void {
  const began = performance.now();
  const seconds = (): string => ((performance.now() - began) / 1_000).toFixed(0);
  try {
    const result = check();
    row(what, version, name, result, seconds());
  } catch (error) {
    process.exitCode = 1;
    row(what, version, name, "FAILED", seconds());
    console.log(error instanceof Error ? error.message.slice(0, 4_000) : error);
  }
}

/** Creates a project with a kind and its webhooks, as a user would. */
function generatedProject(common: NodeJS.ProcessEnv): string {
  const env = { ...common, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const cwd = join(work, "shop");
  run("npm", ["create", "--yes", "kubewright", "shop", "--", "--domain", "example.com"], { cwd: work, env });
  const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];
  for (const words of [
    ["create", "api", ...site],
    ["create", "webhook", ...site, "--defaulting", "--validation"],
    ["generate", "clientset"],
  ])
    run(join(cwd, "node_modules/.bin/kubewright"), words, { cwd, env });
  return cwd;
}

/** Copies an example and installs what it needs. */
function copiedExample(env: NodeJS.ProcessEnv): string {
  const from = join(root, "examples", example);
  const cwd = join(work, example);
  for (const path of run("git", ["ls-files", "-z"], { cwd: from }).split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    cpSync(join(from, path), join(cwd, path));
  }
  run("npm", ["install", "--no-audit", "--no-fund"], { cwd, env });
  return cwd;
}

function checkCompilers(projects: readonly string[]): void {
  for (const version of compilers) {
    const folder = join(work, `typescript-${version}`);
    mkdirSync(folder);
    const add = ["install", "--no-audit", "--no-fund", "--no-save", "--prefix", folder, `typescript@${version}`];
    run("npm", add, { cwd: folder });
    const tsc = join(folder, "node_modules", "typescript", "bin", "tsc");
    for (const cwd of projects)
      checked("TypeScript", version, cwd === projects[0] ? "generated project" : `examples/${example}`, () => {
        const { compilerOptions, ...others } = JSON.parse(readFileSync(join(cwd, "tsconfig.json"), "utf8"));
        const isOld = version.startsWith("5.7.");
        const options = { ...compilerOptions, skipLibCheck: false, ...(isOld && { erasableSyntaxOnly: undefined }) };
        writeFileSync(join(cwd, "tsconfig.platforms.json"), JSON.stringify({ ...others, compilerOptions: options }));
        run(process.execPath, [tsc, "-p", "tsconfig.platforms.json"], { cwd });
        return isOld ? "without erasableSyntaxOnly" : "compiles";
      });
  }
}

/** Copies unit tests to a project that contains only the packed packages. */
function unitTests(env: NodeJS.ProcessEnv): string {
  const cwd = join(work, "unit");
  const { devDependencies, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = [...libraries, "clock"].map((name) => `@kubewright/${name}`);
  const dependencies = Object.fromEntries(names.map((name) => [name, version]));
  const { "fast-check": fastCheck, typebox, vitest } = devDependencies;
  for (const library of libraries)
    for (const path of globSync(["src/**/*.test.ts", "src/**/testing/**"], { cwd: join(root, "packages", library) }))
      cpSync(join(root, "packages", library, path), join(cwd, library, path), { recursive: true });
  writeFileSync(join(cwd, "vitest.config.mjs"), configuration);
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...dependencies, "fast-check": fastCheck, typebox, vitest },
  };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
  run("npm", ["install", "--no-audit", "--no-fund"], { cwd, env });
  return cwd;
}

function checkNodes(unit: string): void {
  for (const version of nodes) {
    const node = installedNode(version, join(work, `node-${version}`));
    if (typeof node === "string") {
      row("Node.js", version, "all", `not run: ${node}`);
      continue;
    }
    checked("Node.js", version, `unit tests: ${libraries.join(", ")}`, () => {
      const words = ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=results.json"];
      run(join(node.bin, "node"), words, { cwd: unit, timeoutMs: 900_000 });
      const { numPassedTests, numPendingTests } = JSON.parse(readFileSync(join(unit, "results.json"), "utf8"));
      return `${numPassedTests} passed, ${numPendingTests} skipped`;
    });
  }
}

async function checkRuntimes(env: NodeJS.ProcessEnv): Promise<void> {
  const { devDependencies, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folder = runtimeProject(join(work, "runtimes"), version, devDependencies.typebox, env);
  await using _server = await startServer(folder);
  for (const runtime of runtimes(join(work, "installed"))) {
    if ("reason" in runtime) {
      row(runtime.name, "", "all", `not run: ${runtime.reason}`);
      continue;
    }
    for (const { name, check } of runtimeChecks(folder))
      checked(runtime.name, runtime.version, name, () => {
        check(runtime);
        return "works";
      });
  }
}
