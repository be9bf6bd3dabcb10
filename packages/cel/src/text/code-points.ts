import { spendOnText } from "./cost-meter.ts";

/**
 * Lengths between which strings are cached, and the number of cached strings. Shorter strings can be scanned quickly each time, and longer
 * ones would use too much memory.
 */
const remembered = { from: 64, to: 4_000_000, most: 4 };

const surrogate = /[\ud800-\udfff]/;

/** Offsets of the code points in a string. Some code points take two JavaScript code units. */
interface CodePoints {
  readonly count: number;
  /** Offset of every 64th code point. Absent if all code points take one code unit. */
  readonly marks?: readonly number[];
}

const markEvery = 64;
const known = new Map<string, CodePoints>();

/** Returns the number of code points in a text. */
export const lengthOf = (text: string): number => pointsOf(text).count;

/** Returns the offset of the code point at an index, or the text's length if the index is too large. */
export function offsetOf(text: string, index: number): number {
  const { marks, count } = pointsOf(text);
  if (index >= count) return text.length;
  if (!marks) return index;
  let at = marks[Math.floor(index / markEvery)] ?? 0;
  for (let rest = index % markEvery; rest > 0; rest--) at += unitsAt(text, at);
  return at;
}

/** Returns the index of the code point at the given offset. */
export function indexAt(text: string, offset: number): number {
  const { marks } = pointsOf(text);
  if (!marks) return offset;
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((marks[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  let index = low * markEvery;
  for (let at = marks[low] ?? 0; at < offset; at += unitsAt(text, at)) index++;
  return index;
}

const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/**
 * Returns the code point offsets of a string. The offsets of the last few long strings are cached, because a loop uses
 * the same string repeatedly.
 */
function pointsOf(text: string): CodePoints {
  if (text.length < remembered.from || text.length > remembered.to) return measure(text);
  let points = known.get(text);
  if (!points) {
    points = measure(text);
    const [oldest] = known.keys();
    if (known.size >= remembered.most && oldest !== undefined) known.delete(oldest);
    known.set(text, points);
  }
  return points;
}

function measure(text: string): CodePoints {
  spendOnText(text.length);
  if (!surrogate.test(text)) return { count: text.length };
  const marks: number[] = [];
  let count = 0;
  for (let at = 0; at < text.length; at += unitsAt(text, at)) {
    if (count % markEvery === 0) marks.push(at);
    count++;
  }
  return { count, marks };
}
