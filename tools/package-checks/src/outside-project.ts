import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import { harness } from "./harness.ts";
import { fenceUnder } from "./readme.ts";
import type { Tarball } from "./tarballs.ts";

/** Supported TypeScript compilers: the oldest, the newest JavaScript-based one, and the newest native one. */
const compilers = { "typescript-5.7": "5.7.3", "typescript-6.0": "6.0.3", "typescript-7.0": "7.0.2" };

export interface OutsideProject {
  readonly folder: string;
  /** Paths of the installed compilers, to be run with node. */
  readonly compilers: readonly string[];
}

/** Versions by package name. For our own packages, the value is the tarball instead of a version. */
type Versions = Readonly<Record<string, string>>;

/** Writes the `package.json` of a user's project, with tarballs instead of versions from the registry. */
export function writeManifest(
  folder: string,
  tarballs: readonly Tarball[],
  names: { readonly dependencies: Versions; readonly devDependencies?: Versions },
): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  const files = Object.fromEntries(tarballs.map(({ name, path }) => [name, `file:${path}`]));
  const { dependencies, devDependencies = {} } = names;
  const placed = (versions: Versions): Versions =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, files[name] ?? version]));
  const isDirect = (name: string): boolean => name in dependencies || name in devDependencies;
  const manifest = {
    name: "outside",
    private: true,
    type: "module",
    dependencies: placed(dependencies),
    devDependencies: placed(devDependencies),
    overrides: Object.fromEntries(Object.entries(files).filter(([name]) => !isDirect(name))),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Creates a project in which each package finds only its own dependencies, as with pnpm and npm's linked strategy. This way, a
 * package that the README uses, but does not install, is not found.
 */
export function makeProject(root: string, folder: string, tarballs: readonly Tarball[]): OutsideProject {
  const { devDependencies: pinned } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const { esbuild = "latest" } = (
    JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    }
  ).devDependencies;
  writeManifest(folder, tarballs, {
    dependencies: { kubewright: "", typebox: pinned.typebox ?? "latest" },
    devDependencies: {
      "@kubewright/cli": "",
      "@kubewright/controller-manager": "",
      "@kubewright/docs": "",
      "@kubewright/envtest": "",
      "@kubewright/simulation": "",
      "@types/node": pinned["@types/node"] ?? "latest",
      esbuild,
      ...Object.fromEntries(Object.entries(compilers).map(([name, version]) => [name, `npm:typescript@${version}`])),
    },
  });
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: ["node"],
    rootDir: "src",
    outDir: "dist",
    declaration: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(folder, "src", "controller.ts"), fenceUnder(readme, "Write a controller"));
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--install-strategy=linked"], { cwd: folder });
  return { folder, compilers: Object.keys(compilers).map((name) => join("node_modules", name, "bin", "tsc")) };
}

/** Compiles the README's controller, including the types of libraries, with each compiler and with both Node and bundler resolution. */
export function compile({ folder, compilers: programs }: OutsideProject): string {
  const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
  for (const tsc of programs)
    for (const resolution of [bundler, []]) run(process.execPath, [tsc, "-p", ".", ...resolution], { cwd: folder });
  return `the README's controller compiles with ${Object.values(compilers).join(", ")}, nodenext and bundler, types of libraries included`;
}

/** Runs the compiled controller against a control plane and returns its output. */
export function runHarness({ folder }: OutsideProject): string {
  writeFileSync(join(folder, "dist", "harness.js"), harness);
  return run(process.execPath, ["dist/harness.js"], { cwd: folder, timeoutMs: 120_000 }).trimEnd();
}
