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
  readonly repository?: string | { readonly type?: string; readonly url?: string };
  readonly homepage?: string;
  readonly bugs?: string | { readonly url?: string; readonly email?: string };
  readonly workspaces?: readonly string[];
}

/** Fields that all packages share. A maintainer fills them in once, in the `package.json` of the workspace. */
export const originFields = ["repository", "homepage", "bugs"] as const;

/** Returns the shared fields of a package in `directory`, relative to the workspace. Fields that the workspace lacks are omitted. */
export function originOf(workspace: Manifest, directory: string): Partial<Manifest> {
  const { repository } = workspace;
  const url = urlOf(repository);
  const present = originFields.flatMap((field) => (workspace[field] === undefined ? [] : [[field, workspace[field]]]));
  return { ...Object.fromEntries(present), ...(url ? { repository: { type: "git", url, directory } } : {}) };
}

export const urlOf = (repository: Manifest["repository"]): string | undefined =>
  typeof repository === "string" ? repository : repository?.url;

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
