import type { Texts } from "./base.ts";
import { hasMarks, mergeFile } from "./merge-file.ts";

/** What becomes of a file of the scaffold. */
export interface Upgraded {
  readonly path: string;
  readonly outcome: "added" | "replaced" | "merged" | "conflict" | "kept" | "removed" | "same";
  /** As it is to be; absent where it is not to be there. */
  readonly text?: string | undefined;
  /** What the next upgrade starts from; absent where the scaffold has no such file. */
  readonly base?: string | undefined;
  /** What was offered, while it is not settled. */
  readonly offered?: string | undefined;
  /** Why, where that is not plain. */
  readonly message?: string | undefined;
}

export interface UpgradeOf {
  /** As the scaffold had it. */
  readonly base: string | undefined;
  /** As it is. */
  readonly yours: string | undefined;
  /** As the scaffold has it now. */
  readonly next: string | undefined;
  /** What the last upgrade offered in vain. */
  readonly offered: string | undefined;
}

/** @param label what the new text is called in a conflict */
export function upgradedFile(path: string, { yours, next, offered, ...one }: UpgradeOf, label: string): Upgraded {
  if (offered !== undefined && yours !== undefined && hasMarks(yours))
    return {
      ...{ path, outcome: "conflict", text: yours, base: one.base, offered },
      message: "has the marks of the last upgrade's conflict: settle it",
    };
  // What was offered has been settled by hand, whichever way.
  const base = offered ?? one.base;
  if (next === undefined) {
    if (yours === undefined) return { path, outcome: "same" };
    if (yours === base) return { path, outcome: "removed" };
    return { path, outcome: "kept", text: yours, message: "the scaffold has it no more, and you changed it" };
  }
  if (yours === undefined)
    return base === undefined
      ? { path, outcome: "added", text: next, base: next }
      : { path, outcome: "same", base: next };
  if (yours === next || base === next) return { path, outcome: "same", text: yours, base: next };
  if (yours === base) return { path, outcome: "replaced", text: next, base: next };
  const { text, conflicts } = mergeFile({ base: base ?? "", yours, next }, label);
  if (conflicts === 0) return { path, outcome: "merged", text, base: next };
  const message = `${conflicts} ${conflicts === 1 ? "place" : "places"} to settle`;
  return { path, outcome: "conflict", text, base, offered: next, message };
}

/** Each file that was of the scaffold, or is now, by path. */
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
