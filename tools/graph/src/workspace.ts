import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Floor, floorOf } from "./floors.ts";

export interface WorkspacePackage {
  readonly name: string;
  /** Path relative to the workspace's root, with forward slashes. */
  readonly folder: string;
  readonly floor: Floor | undefined;
  /** Subpaths that may be imported: `.`, `./testing`. */
  readonly exported: ReadonlySet<string>;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Folders below `src`, in the direction of imports. */
  readonly rooms: readonly string[];
  /**
   * Patterns of the files outside of the package and its dependencies that the package's tests read, relative to the
   * workspace's root.
   */
  readonly elsewhere: readonly string[];
  /** True if the results of the package's tests are cached. */
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

/** Returns all packages of the workspace at `root`, sorted by folder. */
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
