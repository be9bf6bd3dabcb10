import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile, Plugin } from "esbuild";
import { NotSoError, UsageError } from "../command/errors.ts";
import { loadEsbuild } from "./load-esbuild.ts";

/** Which program is bundled, and for where it runs. `kubewright build` has these as flags. */
export interface BundleOptions {
  /** Folder of the project; absolute. */
  readonly root: string;
  /** The module that runs, by its path below the project. Default `src/main.ts`. */
  readonly entry?: string | undefined;
  /** Leave `@kubernetes/client-node` out, which no service account needs. Default false. */
  readonly inCluster?: boolean | undefined;
}

/** A program that needs Node.js and nothing else. */
export interface ProgramBundle {
  /** An ES module. The same sources give the same bytes. */
  readonly code: Uint8Array;
  /** What it is made of, the largest first. */
  readonly parts: readonly BundlePart[];
}

/** How much of a {@link ProgramBundle} comes from one package, as esbuild counts it. */
export interface BundlePart {
  /** Of a package, or `src` for the program's own. */
  readonly name: string;
  /** How much of the bundle it is. */
  readonly bytes: number;
}

/** Packages written for CommonJS ask for `require`, which an ES module does not have by itself. */
const banner =
  'import { createRequire as kubewrightCreateRequire } from "node:module"; const require = kubewrightCreateRequire(import.meta.url);';

/**
 * Makes a program one file, in memory.
 *
 * @throws {UsageError} without esbuild, or if there is no such entry
 * @throws {NotSoError} with what is wrong in the sources
 */
export async function bundleProgram({
  root,
  entry = "src/main.ts",
  inCluster = false,
}: BundleOptions): Promise<ProgramBundle> {
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)}: there is no such file`);
  const { build } = await loadEsbuild(root);
  const isSource = import.meta.url.endsWith(".ts");
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: "operator.mjs",
    write: false,
    bundle: true,
    platform: "node",
    target: "node22.19",
    format: "esm",
    conditions: isSource ? ["@kubewright/source"] : [],
    banner: { js: banner },
    // A third of the size. Names stay, for stack traces that can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
    plugins: [...(inCluster ? [withoutClientNode] : []), ...(isSource ? [withBuiltConsole] : [])],
  }).catch((error: unknown) => {
    throw new NotSoError(messageOf(error), { cause: error });
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error(`esbuild made nothing of ${entry}`);
  return { code: file.contents, parts: partsOf(result.metafile) };
}

/** In its place stands a module that says so, for whoever asks for it after all. */
const withoutClientNode: Plugin = {
  name: "without client-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@kubernetes\/client-node(?:\/|$)/ }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /^/, namespace: "left-out" }, ({ path }) => ({
      // CommonJS, whose names nobody knows before it runs.
      contents: `throw new Error(${JSON.stringify(`${path} is not in this bundle: it was made with --in-cluster`)}); module.exports = {};`,
    }));
  },
};

/** Of sources, too: the console's page is what its package's build makes of it, and not what would make it. */
const withBuiltConsole: Plugin = {
  name: "with the console's page",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]console[\\/]src[\\/]assets[\\/]web-files\.ts$/ }, async ({ path }) => {
      const { webFiles }: { webFiles(): Promise<object> } = await import(pathToFileURL(path).href);
      return { contents: `export const webFiles = async () => (${JSON.stringify(await webFiles())});` };
    });
  },
};

/** `src/site.ts:3:9: Could not resolve "x"`, a line for each. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) return String(error);
  const lines = error.errors.map(({ text, location }: Located) =>
    location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text,
  );
  return lines.join("\n");
}

interface Located {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number; readonly column: number } | null;
}

function partsOf({ outputs }: Metafile): BundlePart[] {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = packageOf(path);
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
    }
  return [...sizes]
    .map(([name, bytes]) => ({ name, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

/** `node_modules/a/node_modules/@b/c/index.js` is of `@b/c`; what is in no package is named by its first folder. */
function packageOf(path: string): string {
  const inside = path.split("node_modules/").at(-1) ?? path;
  if (inside !== path) return /^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? inside;
  const [, workspace] = /(?:^|\/)((?:packages|apps)\/[^/]+)\//.exec(path) ?? [];
  return workspace ?? path.split("/")[0] ?? path;
}
