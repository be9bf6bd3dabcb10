import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Metafile, Plugin } from "esbuild";
import { CommandError, UsageError } from "../command/errors.ts";
import { loadEsbuild } from "./load-esbuild.ts";

/** Options for {@link bundleProgram}. `kubewright build` has a flag for each option. */
export interface BundleOptions {
  /** Absolute path of the project folder. */
  readonly root: string;
  /** Entry module, relative to the project. Default `src/main.ts`. */
  readonly entry?: string | undefined;
  /**
   * True to leave out `@kubernetes/client-node` even if the program imports `kubewright/exec`. Without this import, a bundle never contains
   * that package. Default false.
   */
  readonly inCluster?: boolean | undefined;
  /**
   * True to append a source map for the program's own code, without the source text. Node.js reads the map when started with
   * `--enable-source-maps`. Default true.
   */
  readonly sourceMap?: boolean | undefined;
  /** Path of the bundle, relative to the project. The source map names sources relative to it. Default `dist/operator.mjs`. */
  readonly out?: string | undefined;
}

/** A flag, with its help text, for all commands that bundle the program. */
export const noSourceMap = [
  "--no-source-map",
  "omit the source map; stack traces then refer to lines in the bundle",
] as const;

/** A bundled program, which needs only Node.js. */
export interface ProgramBundle {
  /** ES module. The same sources always give the same bytes. */
  readonly code: Uint8Array;
  /** Packages in the bundle, largest first. */
  readonly parts: readonly BundlePart[];
}

/** A package's share of a {@link ProgramBundle}, as reported by esbuild. */
export interface BundlePart {
  /** Package name; `src` for the program's own code. */
  readonly name: string;
  /** Number of bytes in the bundle that come from this package. */
  readonly bytes: number;
}

/** Code at the start of the bundle. It defines `require`, which CommonJS packages call, but which does not exist in ES modules. */
const banner =
  'import { createRequire as kubewrightCreateRequire } from "node:module"; const require = kubewrightCreateRequire(import.meta.url);';

/**
 * Bundles a program into one file, in memory.
 *
 * @throws {UsageError} if esbuild is not installed, or the entry does not exist
 * @throws {CommandError} with esbuild's errors, if the sources do not build
 */
export async function bundleProgram({
  root,
  entry = "src/main.ts",
  inCluster = false,
  sourceMap = true,
  out = "dist/operator.mjs",
}: BundleOptions): Promise<ProgramBundle> {
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)} does not exist`);
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
    // Reduces the size to a third. Names are kept, so that stack traces stay readable.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    sourcemap: sourceMap ? "external" : false,
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    plugins: [...(inCluster ? [withoutClientNode] : []), ...(isSource ? [withBuiltConsole] : [])],
  }).catch((error: unknown) => {
    throw new CommandError(messagesOf(error), { cause: error });
  });
  const map = result.outputFiles.find(({ path }) => path.endsWith(".map"));
  const file = result.outputFiles.find((one) => one !== map);
  if (!file) throw new Error(`esbuild wrote no output for ${entry}`);
  const code = map ? Buffer.concat([file.contents, mapComment(map.text, map.path)]) : file.contents;
  return { code, parts: partsOf(result.metafile) };
}

/** Folder of the repository's own packages if this module runs from source; otherwise undefined. */
const workspacePackages = import.meta.url.endsWith(".ts")
  ? fileURLToPath(new URL("../../..", import.meta.url))
  : undefined;

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/**
 * Returns a comment with the source map of the program's own files. The complete map would add 1.4 MB to 2 MB of code and cost 0.1 s and
 * 65 MB at each start. Library frames are readable without it because the bundle keeps names.
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

/** Keeps only mappings to the program's own sources. All other code is mapped to no source. */
function ownMappings(mappings: string, isOwn: readonly boolean[]): string {
  const indexes = isOwn.map((_, index) => isOwn.slice(0, index).filter(Boolean).length);
  let [source, line, column] = [0, 0, 0]; // positions in the original map
  let [toSource, toLine, toColumn] = [0, 0, 0]; // positions in the new map
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

/** Decodes the numbers of a mapping: base 64 VLQ, five bits per digit, least significant first, sign in the lowest bit. */
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

/** Replaces client-node with a module that throws a clear error when it is imported. */
const withoutClientNode: Plugin = {
  name: "without client-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@kubernetes\/client-node(?:\/|$)/ }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /^/, namespace: "left-out" }, ({ path }) => ({
      // CommonJS: esbuild cannot check the names that it exports.
      contents: `throw new Error(${JSON.stringify(`${path} is not in this bundle, which was built with --in-cluster; build it without this option`)}); module.exports = {};`,
    }));
  },
};

/** Bundles the built console page instead of the code that builds the page, even if this module runs from source. */
const withBuiltConsole: Plugin = {
  name: "with the console's page",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]console[\\/]src[\\/]assets[\\/]web-files\.ts$/ }, async ({ path }) => {
      const { webFiles }: { webFiles(): Promise<object> } = await import(pathToFileURL(path).href);
      return { contents: `export const webFiles = async () => (${JSON.stringify(await webFiles())});` };
    });
  },
};

/** Formats esbuild's errors, one per line, such as `src/site.ts:3:9: Could not resolve "x"`. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) return [String(error)];
  return error.errors.map(({ text, location }: Located) =>
    location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text,
  );
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

/**
 * Returns the package that a file belongs to, such as `@b/c` for `node_modules/a/node_modules/@b/c/index.js`. A file outside any package is
 * named after its first folder.
 */
function packageOf(path: string): string {
  const inside = path.split("node_modules/").at(-1) ?? path;
  if (inside !== path) return /^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? inside;
  const [, workspace] = /(?:^|\/)((?:packages|apps)\/[^/]+)\//.exec(path) ?? [];
  return workspace ?? path.split("/")[0] ?? path;
}
