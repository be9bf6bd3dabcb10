import type { Texts } from "./base.ts";
import { hasMarks, mergeFile } from "./merge-file.ts";

/** Result of upgrading one file of the scaffold. */
export interface Upgraded {
  readonly path: string;
  readonly outcome: "added" | "replaced" | "merged" | "conflict" | "kept" | "removed" | "same";
  /** New text; undefined if the file should not exist. */
  readonly text?: string | undefined;
  /** Text that the next upgrade starts from; undefined if the scaffold no longer has the file. */
  readonly base?: string | undefined;
  /** New text of an unresolved conflict. */
  readonly offered?: string | undefined;
  /** Reason, if it is not obvious. */
  readonly message?: string | undefined;
}

export interface UpgradeOf {
  /** Text of the earlier scaffold. */
  readonly base: string | undefined;
  /** Current text. */
  readonly yours: string | undefined;
  /** Text of the current scaffold. */
  readonly next: string | undefined;
  /** New text of the last upgrade's unresolved conflict. */
  readonly offered: string | undefined;
}

/**
 * Upgrades one file of the scaffold.
 *
 * @param label name of the new text in conflict markers
 */
export function upgradedFile(path: string, { yours, next, offered, ...one }: UpgradeOf, label: string): Upgraded {
  if (offered !== undefined && yours !== undefined && hasMarks(yours))
    return {
      ...{ path, outcome: "conflict", text: yours, base: one.base, offered },
      message: "still contains conflict markers of the last upgrade; resolve them",
    };
  // The user has resolved the earlier conflict.
  const base = offered ?? one.base;
  if (next === undefined) {
    if (yours === undefined) return { path, outcome: "same" };
    if (yours === base) return { path, outcome: "removed" };
    return { path, outcome: "kept", text: yours, message: "you changed it, and the scaffold no longer contains it" };
  }
  if (yours === undefined)
    return base === undefined
      ? { path, outcome: "added", text: next, base: next }
      : { path, outcome: "same", base: next };
  if (yours === next || base === next) return { path, outcome: "same", text: yours, base: next };
  if (yours === base) return { path, outcome: "replaced", text: next, base: next };
  const { text, conflicts } = mergeFile({ base: base ?? "", yours, next }, label);
  if (conflicts === 0) return { path, outcome: "merged", text, base: next };
  const message = `${conflicts} ${conflicts === 1 ? "conflict" : "conflicts"} to resolve`;
  return { path, outcome: "conflict", text, base, offered: next, message };
}

/** Upgrades all files of the earlier and the current scaffold, in order of path. */
export function upgradedFiles(
  texts: { readonly base: Texts; readonly next: Texts; readonly offered: Texts },
  yoursAt: (path: string) => string | undefined,
  label: string,
): Upgraded[] {
  const { base, next, offered } = texts;
  const at = (of: Texts, path: string): string | undefined => (Object.hasOwn(of, path) ? of[path] : undefined);
  return [...new Set([...Object.keys(base), ...Object.keys(next)])].sort().map((path) => {
    const one = { base: at(base, path), next: at(next, path), offered: at(offered, path), yours: yoursAt(path) };
    return upgradedFile(path, one, label);
  });
}
