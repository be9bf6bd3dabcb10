import type { Change } from "./commits.ts";

/** Major, minor and patch. */
export type Version = readonly [number, number, number];

/** @throws {Error} naming `where` if `text` is no version */
export function parseVersion(text: string, where: string): Version {
  const [, major, minor, patch] = text.match(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/) ?? [];
  if (major === undefined) throw new Error(`${where} "${text}" is no version; write three numbers, such as 0.2.0`);
  return [Number(major), Number(minor), Number(patch)];
}

/** Negative where `a` is older than `b`. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * The least version that the changes since `last` may have. From 1.0.0 on: major for what breaks, minor for features, else patch. Before it,
 * what breaks is a minor and everything else a patch, which is how npm reads `^0.2.0`.
 */
export function leastVersion(last: Version, changes: readonly Change[]): Version {
  const [major, minor, patch] = last;
  const breaks = changes.some(({ isBreaking }) => isBreaking);
  if (major === 0) return breaks ? [0, minor + 1, 0] : [0, minor, patch + 1];
  if (breaks) return [major + 1, 0, 0];
  return changes.some(({ type }) => type === "feat") ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

export interface VersionChoice {
  /** What `--version` says. */
  readonly asked: string | undefined;
  /** What the heading of the unreleased section of the changelog says. */
  readonly announced: string | undefined;
  /** What was released last, if anything was. */
  readonly last: string | undefined;
  /** What the packages say now. */
  readonly current: string;
  readonly changes: readonly Change[];
}

/**
 * The version to release: as asked for, else as announced, else the least that the commits allow; for the first release, what the packages say.
 *
 * @throws {Error} if there is nothing to release, if two of them disagree, or if the commits want more
 */
export function chooseVersion({ asked, announced, last, current, changes }: VersionChoice): string {
  if (asked !== undefined) parseVersion(asked, "--version");
  if (asked !== undefined && announced !== undefined && asked !== announced)
    throw new Error(`--version ${asked}: CHANGELOG.md announces ${announced}; change one of them`);
  const wanted = asked ?? announced;
  if (last === undefined) return wanted ?? current;
  if (changes.length === 0) throw new Error(`nothing was committed since v${last}: there is nothing to release`);
  const least = leastVersion(parseVersion(last, "tag"), changes);
  if (wanted === undefined) return least.join(".");
  if (compareVersions(parseVersion(wanted, "CHANGELOG.md"), least) >= 0) return wanted;
  const breaking = changes.find(({ isBreaking }) => isBreaking);
  const why = breaking
    ? `${breaking.hash.slice(0, 9)} breaks what was there ("${breaking.text}")`
    : `${changes.length} commits came after it`;
  throw new Error(`version ${wanted} is too low after ${last}: ${why}; ${least.join(".")} is the least that says so`);
}
