import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const dependencyFields = [
  "dependencies",
  "devDependencies",
  "peerDependencies",
  "optionalDependencies",
] as const;

type Dependencies = { readonly [Field in (typeof dependencyFields)[number]]?: Readonly<Record<string, string>> };

/** The fields of a `package.json` that a release uses. */
export interface Manifest extends Dependencies {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly repository?: string | { readonly url?: string };
  readonly workspaces?: readonly string[];
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Returns the folders of packages in the workspace at `root`, relative to it and sorted by name. */
export function workspaceFolders(root: string): readonly string[] {
  const patterns = readManifest(root).workspaces ?? [];
  return globSync(
    patterns.map((pattern) => `${pattern}/package.json`),
    { cwd: root },
  )
    .map((path) => path.replaceAll("\\", "/").replace(/\/package\.json$/, ""))
    .sort();
}
