import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { run } from "./command.ts";
import type { Publishable } from "./packages.ts";

export interface Tarball {
  readonly name: string;
  readonly path: string;
  /** Folder that was packed. */
  readonly folder: string;
  /** Paths within the package, in npm's order. */
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

/** The fields of npm's description of a tarball that are used here. */
interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs every package into `folder`, as for publishing. */
export function packAll(packages: readonly Publishable[], folder: string): readonly Tarball[] {
  const sources = packages.map(({ folder: source }) => resolve(source));
  // One call for all packages, because npm takes longer to start than to pack; its output has the order of the folders.
  const all = JSON.parse(
    run("npm", ["pack", "--json", "--pack-destination", folder, ...sources], { cwd: folder }),
  ) as Packed[];
  return packages.map(({ name, folder: source }, at) => {
    const packed = all[at];
    if (packed?.name !== name) throw new Error(`${name}: npm pack returned ${packed?.name} instead`);
    const files = packed.files.map(({ path }) => path);
    const { files: wanted = [], exports = {} } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
      files?: string[];
      exports?: Readonly<Record<string, unknown>>;
    };
    const missing = wanted.find(
      (path) => !/[!*]/.test(path) && !files.some((file) => `${file}/`.startsWith(`${path}/`)),
    );
    if (missing) throw new Error(`${name}: "files" names ${missing}, which does not exist; run npm run build`);
    const stray = testFile(files, Object.hasOwn(exports, "./testing"));
    if (stray)
      throw new Error(
        `${name}: the package would contain ${stray}, a file for tests; narrow "files" in its package.json`,
      );
    return {
      name,
      path: join(folder, packed.filename),
      folder: source,
      files,
      packedBytes: packed.size,
      unpackedBytes: packed.unpackedSize,
    };
  });
}

/** Returns the first file of a package that only its own tests use. The folder `testing` is for users if the package exports it. */
export function testFile(files: readonly string[], exportsTesting: boolean): string | undefined {
  return files.find(
    (path) =>
      /\.test\.[jt]s$/.test(path) ||
      (/^(?:dist|src)\/.*\btesting\//.test(path) && !(exportsTesting && /^(?:dist|src)\/testing\//.test(path))),
  );
}
