import { indexAt, lengthOf, offsetOf } from "../text/code-points.ts";
import { spend, spendOnText } from "../text/cost-meter.ts";
import { indexOfText, lastIndexOfText, splitText } from "../text/text-search.ts";
import { asInt, asList, asString } from "../values/arguments.ts";
import { CelList } from "../values/collections.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, type CelValue } from "../values/value.ts";
import { formatString } from "./string-format.ts";

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): CelValue {
  if (index < 0n || index > lengthOf(text)) return outOfRange(index);
  return String.fromCodePoint(...codePointAt(text, offsetOf(text, Number(index))));
}

const codePointAt = (text: string, at: number): number[] => {
  const point = text.codePointAt(at);
  return point === undefined ? [] : [point];
};

const found = (text: string, offset: number): CelValue => (offset < 0 ? -1n : BigInt(indexAt(text, offset)));

function indexOf(text: string, part: string, offset: bigint): CelValue {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  return found(text, indexOfText(text, part, offsetOf(text, Number(offset))));
}

function lastIndexOf(text: string, part: string, offset?: bigint): CelValue {
  const length = lengthOf(text);
  if (part === "") return offset ?? BigInt(length);
  if (offset !== undefined && offset < 0n) return outOfRange(offset);
  if (offset !== undefined && offset >= length) return -1n;
  return found(text, lastIndexOfText(text, part, offset === undefined ? undefined : offsetOf(text, Number(offset))));
}

/** Replaces up to `count` occurrences of a substring. */
function replace(text: string, old: string, by: string, count: bigint): string {
  if (old === "") return surrounded(text, by, count < 0n ? Number.POSITIVE_INFINITY : Number(count));
  const parts = splitText(text, old);
  const times = count < 0n ? parts.length - 1 : Math.min(Number(count), parts.length - 1);
  spendOnText(times * by.length);
  return [parts.slice(0, times + 1).join(by), ...parts.slice(times + 1)].join(old);
}

/** Inserts a string before each character and at the end, up to `count` times. */
function surrounded(text: string, by: string, count: number): string {
  const times = Math.min(count, lengthOf(text) + 1);
  spendOnText(times * by.length);
  const head = text.slice(0, offsetOf(text, times));
  const between = [...head].map((point) => by + point).join("");
  return between + (times > lengthOf(head) ? by : "") + text.slice(head.length);
}

function split(text: string, separator: string, limit: bigint): CelValue {
  if (limit === 0n) return new CelList([]);
  const parts = separator === "" ? [...text] : splitText(text, separator);
  const most = Number(limit);
  if (most < 0 || parts.length <= most) return new CelList(parts);
  return new CelList([...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): CelValue {
  const length = lengthOf(text);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) return outOfRange(start);
  if (end !== undefined && (end < 0n || end > length)) return outOfRange(end);
  return text.slice(offsetOf(text, Number(start)), end === undefined ? undefined : offsetOf(text, Number(end)));
}

function join(list: CelList, separator: string): CelValue {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") return new CelError(`join: invalid input: ${String(item)}`);
    spend(1);
    spendOnText(item.length + separator.length);
    parts.push(item);
  }
  return parts.join(separator);
}

const quotable: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};
const quote = (text: string): string =>
  `"${[...text.toWellFormed()].map((point) => quotable[point] ?? point).join("")}"`;

/** Trims Unicode white space, as Go does. JavaScript's own method would also remove a byte order mark. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

const isSpace = (text: string, at: number): boolean => /\p{White_Space}/u.test(text.charAt(at));

/** String functions, in addition to the standard ones. @see cel-go ext/strings.go (version 2) */
export const strings: readonly FunctionDeclaration[] = [
  member("charAt", "string_char_at_int", "string, int -> string", (a, i) => charAt(asString(a), asInt(i))),
  member("indexOf", "string_index_of_string", "string, string -> int", (a, b) => indexOf(asString(a), asString(b), 0n)),
  member("indexOf", "string_index_of_string_int", "string, string, int -> int", (a, b, i) =>
    indexOf(asString(a), asString(b), asInt(i)),
  ),
  member("lastIndexOf", "string_last_index_of_string", "string, string -> int", (a, b) =>
    lastIndexOf(asString(a), asString(b)),
  ),
  member("lastIndexOf", "string_last_index_of_string_int", "string, string, int -> int", (a, b, i) =>
    lastIndexOf(asString(a), asString(b), asInt(i)),
  ),
  member("lowerAscii", "string_lower_ascii", "string -> string", (a) =>
    asString(a).replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  ),
  member("upperAscii", "string_upper_ascii", "string -> string", (a) =>
    asString(a).replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  ),
  member("replace", "string_replace_string_string", "string, string, string -> string", (a, b, c) =>
    replace(asString(a), asString(b), asString(c), -1n),
  ),
  member("replace", "string_replace_string_string_int", "string, string, string, int -> string", (a, b, c, n) =>
    replace(asString(a), asString(b), asString(c), asInt(n)),
  ),
  member("split", "string_split_string", "string, string -> list(string)", (a, b) =>
    split(asString(a), asString(b), -1n),
  ),
  member("split", "string_split_string_int", "string, string, int -> list(string)", (a, b, n) =>
    split(asString(a), asString(b), asInt(n)),
  ),
  member("substring", "string_substring_int", "string, int -> string", (a, i) => substring(asString(a), asInt(i))),
  member("substring", "string_substring_int_int", "string, int, int -> string", (a, i, j) =>
    substring(asString(a), asInt(i), asInt(j)),
  ),
  member("trim", "string_trim", "string -> string", (a) => trim(asString(a))),
  member("join", "list_join", "list(string) -> string", (a) => join(asList(a), "")),
  member("join", "list_join_string", "list(string), string -> string", (a, b) => join(asList(a), asString(b))),
  member("format", "string_format", "string, list(dyn) -> string", (a, b) => formatString(asString(a), asList(b))),
  global("strings.quote", "strings_quote", "string -> string", (a) => quote(asString(a))),
];
