import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Floor, floorOf } from "./floors.ts";

export interface WorkspacePackage {
  readonly name: string;
  /** Relative to the workspace's root, with forward slashes. */
  readonly folder: string;
  readonly floor: Floor | undefined;
  /** Subpaths that may be imported: `.`, `./testing`. */
  readonly exported: ReadonlySet<string>;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Folders of `src`, in the direction of imports. */
  readonly rooms: readonly string[];
  /** Patterns of what its tests read outside of it and of its dependencies, relative to the workspace's root. */
  readonly elsewhere: readonly string[];
  /** True if results of its tests are kept. */
  readonly isCached: boolean;
}

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly nx?: {
    readonly tags?: readonly string[];
    readonly namedInputs?: Readonly<Record<string, readonly string[]>>;
    readonly targets?: Readonly<Record<string, { readonly cache?: boolean }>>;
  };
  readonly kubewright?: { readonly rooms?: readonly string[] };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

/** Every package of the workspace at `root`, in the order of its folders. */
export function readWorkspace(root: string): readonly WorkspacePackage[] {
  const patterns = readManifest(join(root, "package.json")).workspaces ?? [];
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .sort()
    .map((folder) => {
      const manifest = readManifest(join(root, folder, "package.json"));
      return {
        name: manifest.name,
        folder: relative(root, join(root, folder)).replaceAll("\\", "/"),
        floor: floorOf(manifest.nx?.tags ?? []),
        exported: new Set(Object.keys(manifest.exports ?? {})),
        dependencies: Object.keys(manifest.dependencies ?? {}),
        devDependencies: Object.keys(manifest.devDependencies ?? {}),
        rooms: manifest.kubewright?.rooms ?? [],
        elsewhere: (manifest.nx?.namedInputs?.elsewhere ?? []).map((input) => input.replace("{workspaceRoot}/", "")),
        isCached: manifest.nx?.targets?.test?.cache !== false,
      };
    });
}
