import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import type { Source } from "./mutants.ts";
import { randomFrom, shuffled } from "./random.ts";

/** Selects the sources to mutate. A source must match all given criteria. */
export interface Selection {
  /** Folder name of a package, such as `cel`. */
  readonly package?: string;
  /** Folder below the package's `src`, such as `authorization` or `admission/webhook`. */
  readonly folder?: string;
  /** Glob that the path of a source must match, either relative to the root or relative to the package's `src`. */
  readonly files?: string;
  /** Commit. Selects the folders in which a file has changed since this commit. */
  readonly since?: string;
}

/** Returns the sources below `packages/` and `apps/` that tests should cover: no tests, test helpers, index files or generated tables. */
export function readSources(root: string, selection: Selection): readonly Source[] {
  const paths = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => isSelected(path, selection))
    .sort();
  const touched = selection.since === undefined ? undefined : touchedFolders(root, selection.since);
  return paths
    .filter((path) => touched?.has(dirname(path)) ?? true)
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => !/^[^\n]*\bGenerated from\b/m.test(text.slice(0, 500)));
}

/**
 * Returns the sources in the folders that the last commit changed; if there are none, returns the sources in three folders that
 * `seed` determines.
 */
export function sourcesOfLastCommit(root: string, seed: string): readonly Source[] {
  const all = readSources(root, {});
  const folders = new Set(all.map(({ path }) => dirname(path)));
  const touched = diffed(root, "HEAD^")?.filter((path) => folders.has(dirname(path))) ?? [];
  const chosen = new Set(touched.map((path) => dirname(path)));
  if (chosen.size === 0) for (const one of shuffled([...folders], randomFrom(seed)).slice(0, 3)) chosen.add(one);
  return all.filter(({ path }) => chosen.has(dirname(path)));
}

function isSelected(path: string, selection: Selection): boolean {
  const [, name = "", , ...below] = path.split("/");
  const own = below.join("/");
  if (path.endsWith(".test.ts") || path.endsWith(".d.ts") || path.endsWith("/index.ts")) return false;
  if (below.slice(0, -1).includes("testing")) return false;
  if (selection.package !== undefined && name !== selection.package) return false;
  if (selection.folder !== undefined && !own.startsWith(`${selection.folder.replace(/\/$/, "")}/`)) return false;
  return selection.files === undefined || [path, own].some((each) => matchesGlob(each, selection.files ?? ""));
}

function touchedFolders(root: string, since: string): ReadonlySet<string> {
  const paths = diffed(root, since);
  if (!paths) throw new Error(`--since ${since}: no such commit`);
  return new Set(paths.map((path) => dirname(path)));
}

function diffed(root: string, since: string): readonly string[] | undefined {
  const git = spawnSync("git", ["diff", "--name-only", since, "--"], { cwd: root, encoding: "utf8" });
  return git.status === 0 ? git.stdout.split("\n").filter(Boolean) : undefined;
}
