import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The workspace's root. */
export const root: string = resolve(import.meta.dirname, "../../..");

/** Where the pages are put together, before VitePress reads them. */
export const stage: string = join(root, "tools/docs/.site");

/** Where what was made is kept until what it was made of changes. */
export const keptIn: string = join(root, "tools/docs/.kept");

/** The built site, as `@kubewright/docs` packs it. */
export const built: string = join(root, "packages/docs/site");

/** One door of a package: what `import … from specifier` reads. */
export interface Entry {
  /** Such as `@kubewright/client/kinds`. */
  readonly specifier: string;
  /** The source file, relative to the root. */
  readonly file: string;
  /** The name of its page: `client/kinds`. */
  readonly page: string;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly "@kubewright/source"?: string }>>;
}

/** The public entries of every package, by package and then as its package.json lists them. */
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
