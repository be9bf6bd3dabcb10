import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Imports between files, across the workspace's packages. Type imports run nothing and are ignored. */
export class ImportGraph {
  readonly #root: string;
  /** Folders of packages, keyed by name. */
  readonly #packages: ReadonlyMap<string, string>;
  readonly #texts = new Map<string, string | undefined>();
  readonly #imports = new Map<string, readonly string[]>();
  readonly #distances = new Map<string, ReadonlyMap<string, number>>();

  /** @param packages folders of packages relative to `root`, keyed by package name */
  constructor(root: string, packages: ReadonlyMap<string, string>) {
    this.#root = root;
    this.#packages = packages;
  }

  /** Returns all files that `path` loads, including itself, with the minimum number of imports to each. Paths are relative to the root. */
  distancesFrom(path: string): ReadonlyMap<string, number> {
    const known = this.#distances.get(path);
    if (known) return known;
    const distances = new Map([[path, 0]]);
    for (const [file, hops] of distances)
      for (const next of this.#importsOf(file)) if (!distances.has(next)) distances.set(next, hops + 1);
    this.#distances.set(path, distances);
    return distances;
  }

  /** Returns the text of a file, or `undefined` if the file does not exist. */
  textOf(path: string): string | undefined {
    if (!this.#texts.has(path)) this.#texts.set(path, readIfThere(join(this.#root, path)));
    return this.#texts.get(path);
  }

  #importsOf(path: string): readonly string[] {
    const known = this.#imports.get(path);
    if (known) return known;
    const found = importedBy(this.textOf(path) ?? "")
      .map((name) => this.#resolve(name, path))
      .filter((file) => file !== undefined && this.textOf(file) !== undefined);
    const imports = [...new Set(found)] as readonly string[];
    this.#imports.set(path, imports);
    return imports;
  }

  #resolve(name: string, from: string): string | undefined {
    if (name.startsWith(".")) return name.endsWith(".ts") ? slashed(join(dirname(from), name)) : undefined;
    const parts = name.split("/");
    const length = name.startsWith("@") ? 2 : 1;
    const folder = this.#packages.get(parts.slice(0, length).join("/"));
    if (folder === undefined) return undefined;
    const manifest = JSON.parse(this.textOf(join(folder, "package.json")) ?? "{}") as { readonly exports?: Exports };
    const entry = manifest.exports?.[["", ...parts.slice(length)].join("/").replace(/^/, ".")];
    const source = typeof entry === "string" ? entry : entry?.["@kubewright/source"];
    return source === undefined ? undefined : slashed(join(folder, source));
  }
}

/**
 * Returns the files in `specs` that import `path`, nearest first. The test next to the file comes first; the others are sorted by the
 * number of imports in between, and then by the number of common folders.
 */
export function nearestFirst(graph: ImportGraph, specs: readonly string[], path: string): readonly string[] {
  const own = path.replace(/\.ts$/, ".test.ts");
  return specs
    .map((spec) => ({ spec, hops: graph.distancesFrom(spec).get(path) }))
    .filter((each): each is { spec: string; hops: number } => each.hops !== undefined)
    .map(({ spec, hops }) => ({ spec, hops: spec === own ? 0 : hops, apart: stepsApart(spec, path) }))
    .sort((a, b) => a.hops - b.hops || a.apart - b.apart || (a.spec < b.spec ? -1 : 1))
    .map(({ spec }) => spec);
}

function importedBy(text: string): readonly string[] {
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/gm);
  const calls = text.matchAll(/\bimport\(\s*["']([^"']+)["']/g);
  return [...statements, ...calls].flatMap(([, name]) => name ?? []);
}

function stepsApart(a: string, b: string): number {
  return relative(dirname(a), dirname(b)).split(/[\\/]/).filter(Boolean).length;
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
