import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import { readManifest, workspaceFolders } from "./manifest.ts";

/**
 * Copies the committed files of `root` into the folder `to` and links the installed dependencies. Packages of the workspace resolve to the
 * copy, so that no build output of `root` gets into a release.
 *
 * @param revision git revision to copy (default: the index)
 */
export function copyOf(root: string, to: string, revision?: string): void {
  mkdirSync(to, { recursive: true });
  const index = join(resolve(to), ".index");
  const env = revision === undefined ? process.env : { ...process.env, GIT_INDEX_FILE: index };
  if (revision !== undefined) run("git", ["read-tree", revision], { cwd: root, env });
  run("git", ["checkout-index", "--all", `--prefix=${resolve(to)}/`], { cwd: root, env });
  rmSync(index, { force: true });
  const folders = workspaceFolders(to);
  const own = new Map(folders.map((folder) => [readManifest(join(to, folder)).name, join(to, folder)]));
  for (const folder of ["", ...folders]) {
    const installed = join(root, folder, "node_modules");
    if (existsSync(installed)) linkAll(installed, join(to, folder, "node_modules"), own);
  }
  for (const [name, folder] of own) link(folder, join(to, "node_modules", name));
}

function linkAll(from: string, to: string, own: ReadonlyMap<string, string>, scope = ""): void {
  for (const entry of readdirSync(from)) {
    const [source, name] = [join(from, entry), `${scope}${entry}`];
    if (own.has(name)) continue;
    if (scope === "" && entry.startsWith("@")) linkAll(source, join(to, entry), own, `${entry}/`);
    else if (lstatSync(source).isDirectory() || lstatSync(source).isSymbolicLink()) link(source, join(to, entry));
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "junction");
}
