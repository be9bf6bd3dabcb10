import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Root of the workspace. */
export const root: string = resolve(import.meta.dirname, "../../..");

/** Folder in which all pages are collected before VitePress reads them. */
export const stage: string = join(root, "tools/docs/.site");

/** Folder for cached results. */
export const keptIn: string = join(root, "tools/docs/.kept");

/** Folder of the built site, which `@kubewright/docs` packs. */
export const built: string = join(root, "packages/docs/site");

/** An entry of a package: the module that `import … from specifier` loads. */
export interface Entry {
  /** Module specifier, such as `@kubewright/client/kinds`. */
  readonly specifier: string;
  /** Source file, relative to the root. */
  readonly file: string;
  /** Name of the entry's page, such as `client/kinds`. */
  readonly page: string;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly "@kubewright/source"?: string }>>;
}

/**
 * Returns the public entries of all packages, sorted by package. The entries of a package are in the order of its
 * package.json.
 */
export function publicEntries(from: string = root): readonly Entry[] {
  return globSync("packages/*/package.json", { cwd: from })
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(from, path), "utf8")) as Manifest;
      return Object.entries(exports).flatMap(([key, value]) => {
        const source = typeof value === "string" ? undefined : value["@kubewright/source"];
        if (!source) return [];
        const specifier = join(name, key).replaceAll("\\", "/");
        const file = join(path, "..", source).replaceAll("\\", "/");
        return [{ specifier, file, page: specifier.replace(/^@kubewright\//, "") }];
      });
    });
}
