import { asInt, asList, asString } from "../values/arguments.ts";
import { CelList } from "../values/collections.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, type CelValue } from "../values/value.ts";
import { formatString } from "./string-format.ts";

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): CelValue {
  const points = [...text];
  if (index < 0n || index > points.length) return outOfRange(index);
  return points[Number(index)] ?? "";
}

function indexOf(text: string, part: string, offset: bigint): CelValue {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const [points, wanted] = [[...text], [...part]];
  for (let i = Number(offset); i <= points.length - wanted.length; i++)
    if (wanted.every((point, j) => points[i + j] === point)) return BigInt(i);
  return -1n;
}

function lastIndexOf(text: string, part: string, offset?: bigint): CelValue {
  const [points, wanted] = [[...text], [...part]];
  if (part === "") return offset ?? BigInt(points.length);
  if (offset !== undefined && offset < 0n) return outOfRange(offset);
  if (offset !== undefined && offset >= points.length) return -1n;
  const from = Math.min(Number(offset ?? BigInt(points.length)), points.length - wanted.length);
  for (let i = from; i >= 0; i--) if (wanted.every((point, j) => points[i + j] === point)) return BigInt(i);
  return -1n;
}

function replace(text: string, old: string, by: string, count: bigint): string {
  if (count < 0n)
    return old === "" ? [by, ...[...text].flatMap((point) => [point, by])].join("") : text.replaceAll(old, () => by);
  if (old === "") {
    const points = [...text];
    const times = Math.min(Number(count), points.length + 1);
    return Array.from({ length: points.length + 1 }, (_, i) => (i < times ? by : "") + (points[i] ?? "")).join("");
  }
  let rest = text;
  let result = "";
  for (let done = 0n; done < count; done++) {
    const at = rest.indexOf(old);
    if (at < 0) break;
    result += rest.slice(0, at) + by;
    rest = rest.slice(at + old.length);
  }
  return result + rest;
}

function split(text: string, separator: string, limit: bigint): CelValue {
  if (limit === 0n) return new CelList([]);
  const parts = separator === "" ? [...text] : text.split(separator);
  const most = Number(limit);
  if (most < 0 || parts.length <= most) return new CelList(parts);
  return new CelList([...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): CelValue {
  const points = [...text];
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > points.length) return outOfRange(start);
  if (end !== undefined && (end < 0n || end > points.length)) return outOfRange(end);
  return points.slice(Number(start), end === undefined ? undefined : Number(end)).join("");
}

function join(list: CelList, separator: string): CelValue {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") return new CelError(`join: invalid input: ${String(item)}`);
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

/** Go trims what Unicode calls white space; JavaScript also a byte order mark. */
const trim = (text: string): string => text.replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, "");

/** Functions on strings beyond the standard ones. @see cel-go ext/strings.go (version 2) */
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
