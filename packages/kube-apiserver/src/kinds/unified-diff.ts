const context = 3;

type Edit = {
  readonly tag: "same" | "changed";
  readonly a: readonly [number, number];
  readonly b: readonly [number, number];
};

/**
 * The changed lines between two texts with three lines around, headed by their places: what `diff -u` prints without the names of files.
 *
 * @see github.com/pmezard/go-difflib
 */
export function unifiedDiff(from: string, to: string): string {
  const [a, b] = [linesOf(from), linesOf(to)];
  const lines = groups(editsOf(a, b)).flatMap((group) => [
    `@@ -${range(group[0]?.a[0] ?? 0, group.at(-1)?.a[1] ?? 0)} +${range(group[0]?.b[0] ?? 0, group.at(-1)?.b[1] ?? 0)} @@\n`,
    ...group.flatMap(({ tag, a: [a1, a2], b: [b1, b2] }) =>
      tag === "same"
        ? a.slice(a1, a2).map((line) => ` ${line}`)
        : [...a.slice(a1, a2).map((line) => `-${line}`), ...b.slice(b1, b2).map((line) => `+${line}`)],
    ),
  ]);
  return lines.join("");
}

const linesOf = (text: string): string[] => text.split("\n").map((line) => `${line}\n`);

function range(start: number, stop: number): string {
  const length = stop - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Longest stretches that both have, found first in the whole and then before and after them. */
function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  const places = Map.groupBy(b.keys(), (j) => b[j]);
  // in long texts lines that come often begin no stretch
  const often = Math.floor(b.length / 100) + 1;
  if (b.length >= 200) for (const [line, all] of places) if (all.length > often) places.delete(line);
  const matches: (readonly [number, number, number])[] = [];
  const pending: (readonly [number, number, number, number])[] = [[0, a.length, 0, b.length]];
  for (let part = pending.pop(); part; part = pending.pop()) {
    const [aLow, aHigh, bLow, bHigh] = part;
    const [i, j, size] = extended(longest(a, places, aLow, aHigh, bLow, bHigh), a, b, part);
    if (size === 0) continue;
    matches.push([i, j, size]);
    pending.push([aLow, i, bLow, j], [i + size, aHigh, j + size, bHigh]);
  }
  matches.sort((x, y) => x[0] - y[0]);
  const edits: Edit[] = [];
  let [atA, atB] = [0, 0];
  for (const [i, j, size] of [...matches, [a.length, b.length, 0] as const]) {
    if (atA < i || atB < j) edits.push({ tag: "changed", a: [atA, i], b: [atB, j] });
    const last = edits.at(-1);
    if (size > 0 && last?.tag === "same" && last.a[1] === i && last.b[1] === j)
      edits[edits.length - 1] = { tag: "same", a: [last.a[0], i + size], b: [last.b[0], j + size] };
    else if (size > 0) edits.push({ tag: "same", a: [i, i + size], b: [j, j + size] });
    [atA, atB] = [i + size, j + size];
  }
  return edits;
}

function longest(
  a: readonly string[],
  places: ReadonlyMap<string | undefined, readonly number[]>,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): readonly [number, number, number] {
  let best: readonly [number, number, number] = [aLow, bLow, 0];
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]) ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > best[2]) best = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  return best;
}

function extended(
  [i, j, size]: readonly [number, number, number],
  a: readonly string[],
  b: readonly string[],
  [aLow, aHigh, bLow, bHigh]: readonly [number, number, number, number],
): readonly [number, number, number] {
  let [before, after] = [0, 0];
  while (i - before > aLow && j - before > bLow && a[i - before - 1] === b[j - before - 1]) before++;
  while (i + size + after < aHigh && j + size + after < bHigh && a[i + size + after] === b[j + size + after]) after++;
  return [i - before, j - before, size + before + after];
}

/** Changes with what is around them; those near each other together. */
function groups(edits: readonly Edit[]): Edit[][] {
  const trimmed = edits.map((edit, i): Edit => {
    if (edit.tag !== "same") return edit;
    const { a, b } = edit;
    const length = a[1] - a[0];
    const skippedBefore = i === 0 ? Math.max(0, length - context) : 0;
    const skippedAfter = i === edits.length - 1 ? Math.max(0, length - context) : 0;
    return {
      tag: "same",
      a: [a[0] + skippedBefore, a[1] - skippedAfter],
      b: [b[0] + skippedBefore, b[1] - skippedAfter],
    };
  });
  const result: Edit[][] = [];
  let group: Edit[] = [];
  for (const edit of trimmed) {
    const { tag, a, b } = edit;
    if (tag === "same" && a[1] - a[0] > 2 * context) {
      group.push({ tag, a: [a[0], a[0] + context], b: [b[0], b[0] + context] });
      result.push(group);
      group = [{ tag, a: [a[1] - context, a[1]], b: [b[1] - context, b[1]] }];
    } else group.push(edit);
  }
  if (group.length > 0) result.push(group);
  return result.filter((each) => each.some(({ tag }) => tag === "changed"));
}
