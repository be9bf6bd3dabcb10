import { cut, painted, type TableOptions } from "./columns.ts";
import type { ObjectRow } from "./object-row.ts";
import { isSettled, type Snapshot } from "./snapshot.ts";
import { cnfTable, objectTable } from "./table.ts";

export interface ScreenSize extends TableOptions {
  readonly height: number;
}

/** Maximum number of messages on the screen. A small terminal shows fewer. */
const maxMessages = 4;
/** Minimum number of lines for a useful table. */
const minTableLines = 6;

/**
 * Returns the lines for a terminal. They fit its width, and their number is at most its height, minus one for the cursor. If not all
 * resources fit, resources that are not in sync come first.
 */
export function screen({ objects, cnfs }: Snapshot, reported: readonly string[], size: ScreenSize): string[] {
  const { colours, width = Number.POSITIVE_INFINITY, height } = size;
  const settled = objects.filter(isSettled).length;
  const summary = objects.length === 0 ? "Nothing applied yet." : `${settled} of ${objects.length} in sync.`;
  const style = settled === objects.length ? "green" : "yellow";
  const foot = [painted(cut(summary, width), objects.length > 0 ? style : undefined, colours), "Press Ctrl-C to stop."];
  const head = reported.slice(height < 20 ? -1 : -maxMessages).map((line) => cut(line, width));
  const free = height - 1 - head.length - 4; // two blank lines between, and one before the last line
  const cnfLines = cnfTable(cnfs, size);
  const cnfShare = Math.min(cnfLines.length, Math.max(minTableLines, free - 2 * minTableLines));
  const objectShare = Math.max(0, free - cnfShare);
  const lines = [
    ...head,
    "",
    ...objectLines(objects, objectShare, size),
    "",
    ...limited(cnfLines, cnfShare),
    "",
    foot.join(" "),
  ];
  return lines.length < height ? lines : [...lines.slice(0, Math.max(0, height - 2)), foot.join(" ")];
}

function objectLines(objects: readonly ObjectRow[], share: number, options: TableOptions): readonly string[] {
  if (objects.length + 1 <= share) return objectTable(objects, options);
  const urgentFirst = objects.toSorted((a, b) => Number(isSettled(a)) - Number(isSettled(b)));
  return limited(objectTable(urgentFirst, options), share);
}

const limited = (lines: readonly string[], share: number): readonly string[] =>
  lines.length <= share ? lines : [...lines.slice(0, Math.max(0, share - 1)), `… ${lines.length - share + 1} more`];
