import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dependencyFields, type Manifest, readManifest, workspaceFolders } from "./manifest.ts";

/** Another place that contains the version: a file, and the text before the version in this file. */
interface NamedVersion {
  readonly file: string;
  readonly before: string;
}

interface Lockfile {
  version?: string;
  readonly packages?: Readonly<Record<string, Manifest | undefined>>;
}

/**
 * Sets the common version of the workspace at `root`: in all manifests, including private ones, in their dependencies on one another, in
 * the lockfile, and in the places listed in `tools/release/versions.json`.
 *
 * @throws {Error} if the packages have different versions, or if a place does not contain the current version exactly once
 */
export function setVersion(root: string, version: string): void {
  const folders = workspaceFolders(root);
  const own = new Set(folders.map((folder) => readManifest(join(root, folder)).name));
  const from = commonVersion(root);
  for (const folder of ["", ...folders]) {
    const path = join(root, folder, "package.json");
    const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
    writeJson(path, withVersion(manifest, version, { from, own, where: path }));
  }
  const path = join(root, "package-lock.json");
  if (existsSync(path)) {
    const lockfile = JSON.parse(readFileSync(path, "utf8")) as Lockfile;
    const packages: Record<string, Manifest | undefined> = { ...lockfile.packages };
    for (const folder of ["", ...folders]) {
      const locked = packages[folder];
      if (!locked) throw new Error(`package-lock.json does not contain ${folder}; run npm install`);
      packages[folder] = withVersion(locked, version, { from, own, where: `package-lock.json, ${folder}` });
    }
    writeJson(path, { ...lockfile, version, packages });
  }
  for (const each of namedVersions(root)) rename(root, each, from, version);
}

/** Returns the common version of all packages. @throws {Error} if two differ */
export function commonVersion(root: string): string {
  const { version } = readManifest(root);
  for (const folder of workspaceFolders(root)) {
    const other = readManifest(join(root, folder));
    if (other.version !== version)
      throw new Error(`${folder}/package.json: version ${other.version} differs from the common version ${version}`);
  }
  return version;
}

interface Renaming {
  readonly from: string;
  readonly own: ReadonlySet<string>;
  readonly where: string;
}

function withVersion(manifest: Manifest, version: string, { from, own, where }: Renaming): Manifest {
  const fields = dependencyFields.flatMap((field) => {
    const named = manifest[field];
    if (!named) return [];
    const changed = Object.entries(named).map(([name, wanted]) => {
      if (!own.has(name)) return [name, wanted];
      if (wanted !== from)
        throw new Error(`${where}: ${field}.${name} is "${wanted}"; packages of the workspace must have "${from}"`);
      return [name, version];
    });
    return [[field, Object.fromEntries(changed)]];
  });
  // Spreading over an object replaces values but keeps the order of keys.
  return { ...manifest, version, ...Object.fromEntries(fields) };
}

function namedVersions(root: string): readonly NamedVersion[] {
  const path = join(root, "tools", "release", "versions.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as readonly NamedVersion[]) : [];
}

function rename(root: string, { file, before }: NamedVersion, from: string, to: string): void {
  const path = join(root, file);
  const parts = readFileSync(path, "utf8").split(`${before}${from}`);
  if (parts.length !== 2)
    throw new Error(
      `${file}: "${before}${from}" occurs ${parts.length - 1} times instead of once; correct tools/release/versions.json`,
    );
  writeFileSync(path, parts.join(`${before}${to}`));
}

const writeJson = (path: string, value: object): void => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
