import type { Mutant } from "./mutants.ts";

/** A mutant that no test can detect, identified by its text because line numbers change. */
export interface Equivalent {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/**
 * Parses blocks that consist of a path, the original line (after `- `), the mutated line (after `+ `), and the reason. Lines with `#`
 * are comments.
 *
 * @throws {SyntaxError} if a line is missing in a block
 */
export function parseEquivalents(text: string): readonly Equivalent[] {
  const blocks = text
    .split(/\n\s*\n/)
    .map((block) => block.split("\n").filter((line) => line && !line.startsWith("#")));
  return blocks
    .filter((lines) => lines.length > 0)
    .map(([path, before, after, ...reason]) => {
      if (!path || !before?.startsWith("- ") || !after?.startsWith("+ ") || reason.length === 0)
        throw new SyntaxError(`equivalent.txt: expected "- before", "+ after" and a reason after "${path}"`);
      return { path, before: before.slice(2), after: after.slice(2), reason: reason.join(" ") };
    });
}

/** Returns the entry that matches `mutant`, or undefined if there is none. */
export function excuseOf(mutant: Mutant, equivalents: readonly Equivalent[]): Equivalent | undefined {
  return equivalents.find(
    ({ path, before, after }) => path === mutant.path && before === mutant.before && after === mutant.after,
  );
}
