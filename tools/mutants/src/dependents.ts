import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Returns the folders of all packages of the workspace, keyed by package name. */
export function packagesOf(root: string): ReadonlyMap<string, string> {
  return new Map(membersOf(root).map(({ folder, manifest }) => [manifest.name, folder]));
}

/** Returns the folders of packages with vitest tests that depend, directly or indirectly, on the package in `folder`. */
export function dependentsOf(root: string, folder: string): readonly string[] {
  const members = membersOf(root);
  const reached = new Set(members.filter((one) => one.folder === folder).map(({ manifest }) => manifest.name));
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const { manifest } of members) {
      const needs = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
      if (needs.some((name) => reached.has(name))) reached.add(manifest.name);
    }
  }
  return members
    .filter((one) => one.folder !== folder && reached.has(one.manifest.name))
    .filter(({ manifest }) => manifest.scripts?.test?.includes("vitest"))
    .map((one) => one.folder);
}

function membersOf(root: string): readonly { readonly folder: string; readonly manifest: Manifest }[] {
  return (readManifest(root).workspaces ?? [])
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
    .map((path) => dirname(path).replaceAll("\\", "/"))
    .sort()
    .map((each) => ({ folder: each, manifest: readManifest(join(root, each)) }));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
