import type { Mutant } from "./mutants.ts";

/** A mutant that no test can notice, known by its text, so that it stays known when lines move. */
export interface Equivalent {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/**
 * Reads blocks of a path, `- ` the lines as they are, `+ ` as they become, and the reason. Lines with `#` are remarks.
 *
 * @throws {SyntaxError} if a block lacks one of its lines
 */
export function parseEquivalents(text: string): readonly Equivalent[] {
  const blocks = text
    .split(/\n\s*\n/)
    .map((block) => block.split("\n").filter((line) => line && !line.startsWith("#")));
  return blocks
    .filter((lines) => lines.length > 0)
    .map(([path, before, after, ...reason]) => {
      if (!path || !before?.startsWith("- ") || !after?.startsWith("+ ") || reason.length === 0)
        throw new SyntaxError(`equivalent.txt: after "${path}", "- before", "+ after" and a reason are wanted`);
      return { path, before: before.slice(2), after: after.slice(2), reason: reason.join(" ") };
    });
}

/** The entry that excuses `mutant`. */
export function excuseOf(mutant: Mutant, equivalents: readonly Equivalent[]): Equivalent | undefined {
  return equivalents.find(
    ({ path, before, after }) => path === mutant.path && before === mutant.before && after === mutant.after,
  );
}
