import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import type { Publishable } from "@kubewright-tools/package-checks/packages";
import { packAll } from "@kubewright-tools/package-checks/tarballs";
import { originOf, readManifest } from "./manifest.ts";

export interface ReleasedTarball {
  readonly name: string;
  /** File name in the folder of tarballs. */
  readonly file: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Digest in npm's format: `sha512-…`. */
  readonly integrity: string;
}

/**
 * Builds and packs the packages of the copy at `root` in the given order, each with the workspace's licence, repository, home page and
 * address for bugs.
 *
 * @throws {Error} if a package has no README or a licence other than the workspace's
 */
export function buildAndPack(
  root: string,
  packages: readonly Publishable[],
  folder: string,
): readonly ReleasedTarball[] {
  const workspace = readManifest(root);
  const { license } = workspace;
  mkdirSync(folder, { recursive: true });
  for (const { name, folder: source } of packages) {
    const manifest = readManifest(source);
    if (manifest.license !== license)
      throw new Error(`${name}: "license" is ${manifest.license ?? "missing"}; the workspace's is ${license}`);
    if (!existsSync(join(source, "README.md")))
      throw new Error(`${name}: no README.md, which npm shows as the package's page`);
    copyFileSync(join(root, "LICENSE"), join(source, "LICENSE"));
    const shared = originOf(workspace, relative(root, source).replaceAll("\\", "/"));
    writeFileSync(join(source, "package.json"), `${JSON.stringify({ ...manifest, ...shared }, null, 2)}\n`);
    run("npm", ["run", "build", "--if-present"], { cwd: source });
  }
  return packAll(packages, folder).map(({ name, path, files, packedBytes, unpackedBytes }) => {
    for (const wanted of ["LICENSE", "README.md"])
      if (!files.includes(wanted)) throw new Error(`${name}: ${wanted} is missing in the tarball; check .npmignore`);
    const integrity = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
    return { name, file: basename(path), packedBytes, unpackedBytes, integrity };
  });
}
