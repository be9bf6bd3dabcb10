import type { Change } from "./commits.ts";

export interface ReleasedSection {
  readonly version: string;
  /** Date such as `2026-11-23`. */
  readonly date: string;
  readonly changes: readonly Change[];
}

interface Unreleased {
  readonly start: number;
  readonly end: number;
  readonly version: string | undefined;
}

const heading = /^## \[?(?:unreleased|(\d+\.\d+\.\d+) \(unreleased\))\]?[ \t]*$/gim;

/** Returns the version in the heading of the unreleased section, `## 0.2.0 (unreleased)`; undefined for `## Unreleased`. */
export function announcedVersion(changelog: string): string | undefined {
  return findUnreleased(changelog)?.version;
}

/** Returns true if the changelog has a section about the release of this version. */
export function hasSection(changelog: string, version: string): boolean {
  return changelog.split("\n").some((line) => line.startsWith(`## ${version} (`) && !line.includes("(unreleased)"));
}

/**
 * Returns the changelog with a section about the release. Text written by hand below the unreleased heading stays unchanged and comes
 * first; the list of commits follows below its own heading. Without an unreleased section, the release is inserted before the last one.
 *
 * @throws {Error} if the version is already released, or if two sections are unreleased
 */
export function withRelease(changelog: string, section: ReleasedSection): string {
  const { version, date, changes } = section;
  if (hasSection(changelog, version)) throw new Error(`CHANGELOG.md: ${version} is already released`);
  const entries = generated(changes);
  const title = `## ${version} (${date})`;
  const unreleased = findUnreleased(changelog);
  if (unreleased) {
    const byHand = changelog.slice(unreleased.start, unreleased.end).trim();
    const parts = [title, byHand, entries].filter((part) => part !== "");
    const after = changelog.slice(unreleased.end);
    const before = changelog.slice(0, changelog.lastIndexOf("\n", unreleased.start - 1) + 1);
    return `${before}${parts.join("\n\n")}\n${after === "" ? "" : `\n${after}`}`;
  }
  const last = changelog.search(/^## /m);
  const at = last < 0 ? changelog.length : last;
  const before = changelog.slice(0, at).trimEnd();
  const parts = [before, title, entries, changelog.slice(at).trimEnd()].filter((part) => part !== "");
  return `${parts.join("\n\n")}\n`;
}

/** Returns the unreleased section, from the end of its heading to the next release. */
function findUnreleased(changelog: string): Unreleased | undefined {
  const [found, second] = [...changelog.matchAll(heading)];
  if (second) throw new Error(`CHANGELOG.md: "${found?.[0]}" and "${second[0]}": only one section may be unreleased`);
  if (!found) return undefined;
  const start = found.index + found[0].length;
  const next = changelog.slice(start).search(/^## /m);
  return { start, end: next < 0 ? changelog.length : start + next, version: found[1] };
}

const titles = { feat: "Features", fix: "Fixes", perf: "Performance", revert: "Reverts" } as const;
const quiet = new Set(["bench", "build", "chore", "ci", "docs", "refactor", "style", "test"]);

/** Returns a line for each commit whose effect users may notice, and the number of all other commits. */
function generated(changes: readonly Change[]): string {
  const list = (title: string, wanted: (change: Change) => boolean): string[] => {
    const lines = changes.filter(wanted).map(line).sort();
    return lines.length === 0 ? [] : [`#### ${title}\n\n${lines.join("\n")}`];
  };
  const parts = list("Breaking", ({ isBreaking }) => isBreaking);
  for (const [type, title] of Object.entries(titles))
    parts.push(...list(title, (change) => change.type === type && !change.isBreaking));
  const isKnown = (type: string | undefined): boolean => type !== undefined && (type in titles || quiet.has(type));
  parts.push(...list("Other changes", ({ type, isBreaking }) => !isBreaking && !isKnown(type)));
  const counted = counts(changes.filter(({ type, isBreaking }) => !isBreaking && quiet.has(type ?? "")));
  if (counted) parts.push(`Not listed: ${counted}.`);
  return parts.length === 0 ? "" : ["### From the commits", ...parts].join("\n\n");
}

function line({ hash, type, scope, text, isBreaking, breakingNote }: Change): string {
  const kind = isBreaking && type ? `${type}: ` : "";
  const note = breakingNote ? `. ${escaped(breakingNote)}` : "";
  return `- ${scope ? `**${escaped(scope)}**: ` : ""}${kind}${escaped(text)} (${hash.slice(0, 9)})${note}`;
}

/** Escapes Markdown, except for text in backquotes. */
function escaped(text: string): string {
  return text.replace(/`[^`]*`|[\\`*_<>[\]]/g, (found) => (found.length > 1 ? found : `\\${found}`));
}

function counts(changes: readonly Change[]): string {
  const byType = new Map<string, number>();
  for (const { type = "" } of changes) byType.set(type, (byType.get(type) ?? 0) + 1);
  const sorted = [...byType].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([type, count]) => `${count} ${type}`).join(", ");
}
