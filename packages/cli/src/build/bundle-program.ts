import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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
  /**
   * Ends the program with a source map of its own lines, without the text of the sources. Node.js reads the map where it is started with
   * `--enable-source-maps`. Default true.
   */
  readonly sourceMap?: boolean | undefined;
  /** The file that the program will be, relative to the project: the sources in the map are relative to it. Default `dist/operator.mjs`. */
  readonly out?: string | undefined;
}

/** The flag of the commands that bundle. */
export const noSourceMap = [
  "--no-source-map",
  "leave the source map out: stack traces show lines of the bundle",
] as const;

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
  sourceMap = true,
  out = "dist/operator.mjs",
}: BundleOptions): Promise<ProgramBundle> {
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)}: there is no such file`);
  const { build } = await loadEsbuild(root);
  const isSource = import.meta.url.endsWith(".ts");
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: out,
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
    sourcemap: sourceMap ? "external" : false,
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    plugins: [...(inCluster ? [withoutClientNode] : []), ...(isSource ? [withBuiltConsole] : [])],
  }).catch((error: unknown) => {
    throw new NotSoError(messageOf(error), { cause: error });
  });
  const map = result.outputFiles.find(({ path }) => path.endsWith(".map"));
  const file = result.outputFiles.find((one) => one !== map);
  if (!file) throw new Error(`esbuild made nothing of ${entry}`);
  const code = map ? Buffer.concat([file.contents, mapComment(map.text, map.path)]) : file.contents;
  return { code, parts: partsOf(result.metafile) };
}

/** The repository's own packages, where they are run from their sources. */
const workspacePackages = import.meta.url.endsWith(".ts")
  ? fileURLToPath(new URL("../../..", import.meta.url))
  : undefined;

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/**
 * The source map of the program's own files alone, as a comment. A whole map has 1.4 MB for 2 MB of code, and Node.js spends 0.1 s and 65 MB
 * on it at each start; frames of libraries are readable without it, since names stay.
 */
function mapComment(text: string, path: string): Buffer {
  const map: SourceMap = JSON.parse(text);
  const isOwn = map.sources.map((source) => {
    if (/(?:^|[\\/])node_modules[\\/]/.test(source)) return false;
    return workspacePackages === undefined || !resolve(dirname(path), source).startsWith(workspacePackages);
  });
  const sources = map.sources.filter((_, index) => isOwn[index]);
  const own = { version: 3, sources, names: [], mappings: ownMappings(map.mappings, isOwn) };
  const data = Buffer.from(JSON.stringify(own)).toString("base64");
  return Buffer.from(`//# sourceMappingURL=data:application/json;base64,${data}\n`);
}

/** The mappings to those sources that are the program's own; what follows one up to the next is of no source. */
function ownMappings(mappings: string, isOwn: readonly boolean[]): string {
  const indexes = isOwn.map((_, index) => isOwn.slice(0, index).filter(Boolean).length);
  let [source, line, column] = [0, 0, 0]; // as read
  let [toSource, toLine, toColumn] = [0, 0, 0]; // as written
  const ownLine = (text: string): string => {
    let [at, toAt] = [0, 0];
    let isMapped = false;
    const segments: string[] = [];
    for (const segment of text === "" ? [] : text.split(",")) {
      const [atBy = 0, sourceBy = 0, lineBy = 0, columnBy = 0] = numbersOf(segment);
      at += atBy;
      source += sourceBy;
      line += lineBy;
      column += columnBy;
      if (!isOwn[source] && !isMapped) continue;
      isMapped = isOwn[source] === true;
      const index = indexes[source] ?? 0;
      const fields = isMapped ? [at - toAt, index - toSource, line - toLine, column - toColumn] : [at - toAt];
      segments.push(fields.map(digitsOf).join(""));
      toAt = at;
      if (isMapped) [toSource, toLine, toColumn] = [index, line, column];
    }
    return segments.join(",");
  };
  return mappings.split(";").map(ownLine).join(";");
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The numbers of a mapping: base 64, five bits a digit from the lowest on, and the sign in the lowest. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function digitsOf(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    text += digits[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>>= 5;
  } while (rest > 0);
  return text;
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
