import type { Change } from "./commits.ts";

/** Major, minor and patch number. */
export type Version = readonly [number, number, number];

/** Parses a version. @throws {Error} if `text` is not a version; the message contains `where` */
export function parseVersion(text: string, where: string): Version {
  const [, major, minor, patch] = text.match(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/) ?? [];
  if (major === undefined) throw new Error(`${where} "${text}" is not a version; use three numbers, such as 0.2.0`);
  return [Number(major), Number(minor), Number(patch)];
}

/** Compares two versions, for sorting. Returns a negative number if `a` is older than `b`. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Returns the lowest version that the changes since `last` allow. From 1.0.0 on, breaking changes require a major version and features a
 * minor one. Before 1.0.0, breaking changes require a minor version and everything else a patch, because npm interprets `^0.2.0` in that
 * way.
 */
export function leastVersion(last: Version, changes: readonly Change[]): Version {
  const [major, minor, patch] = last;
  const breaks = changes.some(({ isBreaking }) => isBreaking);
  if (major === 0) return breaks ? [0, minor + 1, 0] : [0, minor, patch + 1];
  if (breaks) return [major + 1, 0, 0];
  return changes.some(({ type }) => type === "feat") ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

export interface VersionChoice {
  /** Value of `--version`. */
  readonly asked: string | undefined;
  /** Version in the heading of the changelog's unreleased section. */
  readonly announced: string | undefined;
  /** Last released version, if any. */
  readonly last: string | undefined;
  /** Current version of the packages. */
  readonly current: string;
  readonly changes: readonly Change[];
}

/**
 * Chooses the version to release: the requested one, otherwise the announced one, otherwise the lowest that the commits allow; for the
 * first release, the current version of the packages.
 *
 * @throws {Error} if there is nothing to release, if `asked` and `announced` differ, or if the version is too low for the commits
 */
export function chooseVersion({ asked, announced, last, current, changes }: VersionChoice): string {
  if (asked !== undefined) parseVersion(asked, "--version");
  if (asked !== undefined && announced !== undefined && asked !== announced)
    throw new Error(`--version ${asked}: CHANGELOG.md announces ${announced}; change one of them`);
  const wanted = asked ?? announced;
  if (last === undefined) return wanted ?? current;
  if (changes.length === 0) throw new Error(`nothing to release: no commits since v${last}`);
  const least = leastVersion(parseVersion(last, "tag"), changes);
  if (wanted === undefined) return least.join(".");
  if (compareVersions(parseVersion(wanted, "CHANGELOG.md"), least) >= 0) return wanted;
  const breaking = changes.find(({ isBreaking }) => isBreaking);
  const why = breaking
    ? `${breaking.hash.slice(0, 9)} is a breaking change ("${breaking.text}")`
    : `${changes.length} commits followed`;
  throw new Error(
    `version ${wanted} is too low after ${last}: ${why}; the lowest possible version is ${least.join(".")}`,
  );
}
