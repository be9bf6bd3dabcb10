import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { run } from "./command.ts";
import type { Publishable } from "./packages.ts";

export interface Tarball {
  readonly name: string;
  readonly path: string;
  /** Within the package, in npm's order. */
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

/** Of what npm says of a tarball, what is asked for. */
interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs every package as it would be published, into `folder`. */
export function packAll(packages: readonly Publishable[], folder: string): readonly Tarball[] {
  const sources = packages.map(({ folder: source }) => resolve(source));
  // In the order of the folders, and in one go: npm takes longer to start than to pack.
  const all = JSON.parse(
    run("npm", ["pack", "--json", "--pack-destination", folder, ...sources], { cwd: folder }),
  ) as Packed[];
  return packages.map(({ name, folder: source }, at) => {
    const packed = all[at];
    if (packed?.name !== name) throw new Error(`${name}: npm pack answered ${packed?.name} in its place`);
    const files = packed.files.map(({ path }) => path);
    const { files: wanted = [] } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
      files?: string[];
    };
    const missing = wanted.find(
      (path) => !/[!*]/.test(path) && !files.some((file) => `${file}/`.startsWith(`${path}/`)),
    );
    if (missing) throw new Error(`${name}: "files" names ${missing}, and there is none: npm run build makes it`);
    const stray = files.find((path) => path.endsWith(".test.ts") || path.endsWith(".test.js"));
    if (stray)
      throw new Error(`${name}: the package would contain a test, ${stray}; narrow "files" in its package.json`);
    return {
      name,
      path: join(folder, packed.filename),
      files,
      packedBytes: packed.size,
      unpackedBytes: packed.unpackedSize,
    };
  });
}
