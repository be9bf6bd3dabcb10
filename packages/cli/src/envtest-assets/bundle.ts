import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@kubewright/clock";
import type { Plugin } from "esbuild";

/** Package that is not bundled, because it reads `.proto` files from its own folder. It is loaded only for storage in etcd. */
const unbundled = "etcd3";

/** CommonJS package that is loaded on demand. */
const loadedLater = "undici";

const bundlePrefix = "bundle-";
const keptMs = 24 * 3_600_000;

/**
 * Bundles the programs and everything that they import into a few files, which load three times as fast. If a source
 * file has changed, the programs are bundled again.
 *
 * @returns the folder with `<name>.mjs` for each program
 * @throws {Error} if the sources do not build (with esbuild's errors), or esbuild has no executable for this platform
 */
export async function bundledPrograms(
  programs: readonly string[],
  folder: string,
  conditions: readonly string[],
): Promise<string> {
  const known = readdirIfThere(folder).find((name) => name.startsWith(bundlePrefix) && isCurrent(join(folder, name)));
  if (known) return join(folder, known);
  const { build } = await import("esbuild"); // on demand, because a bundle usually exists
  const require = requireOf("@kubewright/apiserver/webhook");
  const etcd3 = requireOf("@kubewright/storage-etcd3").resolve(unbundled);
  const draft = join(folder, `draft-${process.pid}`);
  const { metafile } = await build({
    entryPoints: [...programs],
    outdir: draft,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: [...conditions],
    minifySyntax: true,
    minifyWhitespace: true,
    outExtension: { ".js": ".mjs" },
    metafile: true,
    absWorkingDir: "/",
    logLevel: "silent",
    // Packages written for CommonJS call `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    alias: { [unbundled]: pathToFileURL(etcd3).href },
    external: ["file://*"],
    plugins: [withNames(loadedLater, require)],
  });
  const stamps = stampsOf(Object.keys(metafile.inputs).map((path) => join("/", path)));
  writeFileSync(join(draft, stampFile), JSON.stringify(stamps));
  const hash = createHash("sha256").update(JSON.stringify(stamps)).digest("hex").slice(0, 12);
  const final = join(folder, `${bundlePrefix}${hash}`);
  removeOld(folder);
  if (existsSync(final))
    rmSync(draft, { recursive: true }); // another process was faster
  else renameSync(draft, final);
  return final;
}

/** Returns a `require` that resolves dependencies of one of our packages. */
const requireOf = (specifier: string): NodeJS.Require => createRequire(fileURLToPath(import.meta.resolve(specifier)));

/** Makes `import()` of a CommonJS module return its named exports, as in Node.js. In a bundle it would return only `default`. */
function withNames(name: string, require: NodeJS.Require): Plugin {
  return {
    name: "names of CommonJS",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, ({ kind }) =>
        kind === "dynamic-import" ? { path: name, namespace: "names" } : undefined,
      );
      build.onLoad({ filter: /^/, namespace: "names" }, () => ({
        contents: `export { ${Object.keys(require(name)).join(", ")} } from ${JSON.stringify(name)};`,
        resolveDir: dirname(require.resolve(name)),
      }));
    },
  };
}

const stampFile = "sources.json";

/** Modification time of each source. */
type Stamps = Readonly<Record<string, number>>;

const stampsOf = (paths: readonly string[]): Stamps =>
  Object.fromEntries(paths.filter((path) => existsSync(path)).map((path) => [path, statSync(path).mtimeMs]));

function isCurrent(bundle: string): boolean {
  const file = join(bundle, stampFile);
  if (!existsSync(file)) return false;
  const stamps = JSON.parse(readFileSync(file, "utf8")) as Stamps;
  return Object.entries(stamps).every(([path, at]) => existsSync(path) && statSync(path).mtimeMs === at);
}

/** Removes old bundles. Keeps recent ones, because running programs may still load parts of them. */
function removeOld(folder: string): void {
  for (const name of readdirIfThere(folder)) {
    const path = join(folder, name);
    if (name.startsWith(bundlePrefix) && systemClock.now() - statSync(path).mtimeMs > keptMs)
      rmSync(path, { recursive: true, force: true });
  }
}

function readdirIfThere(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder);
}
