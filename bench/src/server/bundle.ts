import { mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Module that is not bundled, because it reads files from its own folder. */
const unbundled = "etcd3";

/** Bundles a program into a few files, like `kubewright envtest-assets` does with the server. */
export async function bundled(program: string, folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const fromServer = createRequire(fileURLToPath(import.meta.resolve("@kubewright/storage-etcd3")));
  await build({
    entryPoints: [program],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node22",
    conditions: ["@kubewright/source"],
    minifySyntax: true,
    minifyWhitespace: true,
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    alias: { [unbundled]: pathToFileURL(fromServer.resolve(unbundled)).href },
    external: ["file://*"],
  });
  return join(folder, basename(program).replace(/\.ts$/, ".mjs"));
}

/** Environment variables that the launcher of the bundled server sets. */
export const launcherEnvironment: Readonly<Record<string, string>> = { NODE_OPTIONS: "", MALLOC_ARENA_MAX: "1" };

/** Node options that the launcher of the bundled server passes. */
export const launcherOptions: readonly string[] = [
  "--min-semi-space-size=8",
  "--max-semi-space-size=16",
  "--heap-growing-percent=60",
];
