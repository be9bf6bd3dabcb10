import { spendOnText } from "./cost-meter.ts";

/** Shorter texts are quickly gone through each time; longer ones are not kept in memory. */
const remembered = { from: 64, to: 4_000_000, most: 4 };

const surrogate = /[\ud800-\udfff]/;

/** Where the characters of a text begin, which Unicode counts by code points, and JavaScript by half of some. */
interface CodePoints {
  readonly count: number;
  /** Position of every 64th; absent where each is as long as the other. */
  readonly marks?: readonly number[];
}

const markEvery = 64;
const known = new Map<string, CodePoints>();

/** Number of code points. */
export const lengthOf = (text: string): number => pointsOf(text).count;

/** Where the code point of that index begins in the text; its length where there is none. */
export function offsetOf(text: string, index: number): number {
  const { marks, count } = pointsOf(text);
  if (index >= count) return text.length;
  if (!marks) return index;
  let at = marks[Math.floor(index / markEvery)] ?? 0;
  for (let rest = index % markEvery; rest > 0; rest--) at += unitsAt(text, at);
  return at;
}

/** The index of the code point that begins there. */
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

/** The last few long texts are remembered: a loop asks for the same one again and again. */
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
