import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import type { Publishable } from "@kubewright-tools/package-checks/packages";
import { packAll } from "@kubewright-tools/package-checks/tarballs";
import { readManifest } from "./manifest.ts";

export interface ReleasedTarball {
  readonly name: string;
  /** In the folder of tarballs. */
  readonly file: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** As npm writes it: `sha512-…`. */
  readonly integrity: string;
}

/**
 * Builds and packs the packages of the copy at `root`, in this order, each with the workspace's licence.
 *
 * @throws {Error} if one has no README or another licence than the workspace
 */
export function buildAndPack(
  root: string,
  packages: readonly Publishable[],
  folder: string,
): readonly ReleasedTarball[] {
  const { license } = readManifest(root);
  mkdirSync(folder, { recursive: true });
  for (const { name, folder: source } of packages) {
    const manifest = readManifest(source);
    if (manifest.license !== license)
      throw new Error(`${name}: "license" is ${manifest.license ?? "missing"}; the workspace's is ${license}`);
    if (!existsSync(join(source, "README.md"))) throw new Error(`${name}: has no README.md, the page that npm shows`);
    copyFileSync(join(root, "LICENSE"), join(source, "LICENSE"));
    run("npm", ["run", "build", "--if-present"], { cwd: source });
  }
  return packAll(packages, folder).map(({ name, path, files, packedBytes, unpackedBytes }) => {
    for (const wanted of ["LICENSE", "README.md"])
      if (!files.includes(wanted)) throw new Error(`${name}: ${wanted} is not in the tarball; look at its .npmignore`);
    const integrity = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
    return { name, file: basename(path), packedBytes, unpackedBytes, integrity };
  });
}
