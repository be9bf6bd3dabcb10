import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "@kubewright-tools/package-checks/command";
import { publishablePackages } from "@kubewright-tools/package-checks/packages";
import { announcedVersion, hasSection, withRelease } from "./changelog.ts";
import { changeOf } from "./commits.ts";
import { copyOf } from "./copy.ts";
import { readManifest, workspaceFolders } from "./manifest.ts";
import { publishingOrder } from "./order.ts";
import type { Repository } from "./repository.ts";
import { billOfMaterials, type Sbom } from "./sbom.ts";
import { commonVersion, setVersion } from "./set-version.ts";
import { buildAndPack, type ReleasedTarball } from "./tarballs.ts";
import { chooseVersion } from "./version.ts";

/** A release in a folder. */
export interface Release {
  readonly version: string;
  readonly sbom: Sbom;
  /** Names of packages in the order of publishing; packages in the same list may be published at the same time. */
  readonly order: readonly (readonly string[])[];
  /** Tarballs in the order of publishing. */
  readonly tarballs: readonly ReleasedTarball[];
  /** Patch of manifests, lockfile and changelog for `git apply`; empty if the commit is tagged. */
  readonly patch: string;
  /** SHA-256 of every file of the release. */
  readonly digests: ReadonlyMap<string, string>;
}

/** Determines the version to release. @throws {Error} if tag, manifests, changelog, commits and `asked` disagree */
export function versionToRelease(root: string, repository: Repository, asked: string | undefined): string {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const { tagged, last, commits } = repository;
  const current = commonVersion(root);
  if (tagged === undefined)
    return chooseVersion({
      asked,
      announced: announcedVersion(changelog),
      last,
      current,
      changes: commits.map(changeOf),
    });
  if (asked !== undefined && asked !== tagged) throw new Error(`--version ${asked}: the commit is tagged v${tagged}`);
  if (current !== tagged) throw new Error(`the commit is tagged v${tagged}, but its packages have version ${current}`);
  if (!hasSection(changelog, tagged))
    throw new Error(`the commit is tagged v${tagged}, but CHANGELOG.md has no section "## ${tagged} (date)"`);
  return tagged;
}

/**
 * Makes the release of `version` in the folder `work`: the copy of the workspace is in `work/copy`, and the files of the release are in
 * `work/out`.
 */
export function makeRelease(root: string, repository: Repository, version: string, work: string): Release {
  const [copy, out] = [join(work, "copy"), join(work, "out")];
  copyOf(root, copy);
  const changes = repository.commits.map(changeOf);
  const date = new Date(repository.committedAtSeconds * 1000).toISOString().slice(0, 10);
  if (repository.tagged === undefined) {
    setVersion(copy, version);
    const changelog = join(copy, "CHANGELOG.md");
    writeFileSync(changelog, withRelease(readFileSync(changelog, "utf8"), { version, date, changes }));
  }
  const all = workspaceFolders(copy).map((folder) => readManifest(join(copy, folder)));
  const packages = publishablePackages(copy);
  const byName = new Map(packages.map((each) => [each.name, each]));
  const hidden = new Set(all.map(({ name }) => name).filter((name) => !byName.has(name)));
  const order = publishingOrder(
    packages.map(({ folder }) => readManifest(folder)),
    hidden,
  );
  const sorted = order.flat().flatMap((name) => byName.get(name) ?? []);
  const patch = patchOf(root, copy);
  const tarballs = buildAndPack(copy, sorted, out);
  const sbom = billOfMaterials(copy, order.flat(), repository.committedAtSeconds);
  writeFileSync(join(out, "sbom.cdx.json"), sbom.text);
  writeFileSync(join(out, "release.patch"), patch);
  writeFileSync(join(out, "CHANGELOG.md"), readFileSync(join(copy, "CHANGELOG.md")));
  writeFileSync(join(out, "tarballs.json"), `${JSON.stringify(tarballs, null, 2)}\n`);
  const files = [
    "CHANGELOG.md",
    "release.patch",
    "sbom.cdx.json",
    "tarballs.json",
    ...tarballs.map(({ file }) => file),
  ];
  const digests = files.map((file) => [file, sha256(join(out, file))] as const);
  return { version, sbom, order, tarballs, patch, digests: new Map(digests) };
}

/** Returns the names of files that differ between two releases. */
export function differences(one: Release, other: Release): readonly string[] {
  const names = new Set([...one.digests.keys(), ...other.digests.keys()]);
  return [...names].filter((name) => one.digests.get(name) !== other.digests.get(name));
}

/** Returns the changes to committed files in the copy as a patch. */
function patchOf(root: string, copy: string): string {
  const changed = ["package.json", "package-lock.json", "CHANGELOG.md", ...workspaceFolders(copy).map(manifestIn)];
  const named = join(copy, "tools", "release", "versions.json");
  if (existsSync(named))
    changed.push(
      ...(JSON.parse(readFileSync(named, "utf8")) as readonly { readonly file: string }[]).map(({ file }) => file),
    );
  const present = changed.filter((path) => existsSync(join(copy, path)));
  const folder = run("git", ["rev-parse", "--absolute-git-dir"], { cwd: root }).trim();
  // Git's index at `root` stores the modification times of the files at `root`. Git must not replace them with the
  // times of the copied files.
  const where = ["--no-optional-locks", "-c", "diff.autoRefreshIndex=false", "--git-dir", folder, "--work-tree", copy];
  const form = ["--no-ext-diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
  return run("git", [...where, "diff", ...form, "HEAD", "--", ...present.sort()], { cwd: copy });
}

const manifestIn = (folder: string): string => `${folder}/package.json`;

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
