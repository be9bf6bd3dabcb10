import { join } from "node:path";
import { run } from "./command.ts";
import type { Publishable } from "./packages.ts";

export interface Tarball {
  readonly name: string;
  readonly path: string;
}

/** Packs every package as it would be published, into `folder`. */
export function packAll(packages: readonly Publishable[], folder: string): readonly Tarball[] {
  return packages.map(({ name, folder: source }) => {
    const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: source })) as [
      { readonly filename: string; readonly files: readonly { readonly path: string }[] },
    ];
    const stray = packed.files.find(({ path }) => path.endsWith(".test.ts") || path.endsWith(".test.js"));
    if (stray)
      throw new Error(`${name}: the package would contain a test, ${stray.path}; narrow "files" in its package.json`);
    return { name, path: join(folder, packed.filename) };
  });
}
