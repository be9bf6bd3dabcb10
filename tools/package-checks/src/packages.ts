import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Publishable {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
}

/** Returns all packages of the workspace at `root` that are not private. */
export function publishablePackages(root: string): readonly Publishable[] {
  return globSync(["packages/*/package.json", "apps/*/package.json"], { cwd: root })
    .sort()
    .map((path) => join(root, path))
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(path, "utf8")) as { readonly name: string; readonly private?: boolean };
      return manifest.private ? [] : [{ name: manifest.name, folder: dirname(path) }];
    });
}
