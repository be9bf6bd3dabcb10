import { type Cursor, end, isBlankOrEnd, isBreak } from "./cursor.ts";
import { Whitespace } from "./folded-text.ts";

const [singleQuote, doubleQuote, backslash] = [0x27, 0x22, 0x5c];
const escapes: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);
const codeLengths: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** Scans a quoted scalar from its opening quote. */
export function scanQuotedScalar(cursor: Cursor): string {
  const quote = cursor.code();
  cursor.at++;
  const parts: string[] = [];
  const whitespace = new Whitespace(cursor);
  for (;;) {
    if (cursor.isAtDocumentIndicator) throw cursor.error("found unexpected document indicator");
    if (cursor.code() === end) throw cursor.error("found unexpected end of stream");
    scanWord(cursor, quote, parts, whitespace);
    if (cursor.code() === quote) break;
    whitespace.take();
    parts.push(whitespace.fold());
  }
  cursor.at++;
  return parts.join("");
}

/** Scans characters up to white space, the closing quote or an escaped line break. */
function scanWord(cursor: Cursor, quote: number, parts: string[], whitespace: Whitespace): void {
  let start = cursor.at;
  const flush = (): void => {
    if (cursor.at > start) parts.push(cursor.text.slice(start, cursor.at));
  };
  for (let code = cursor.code(); !isBlankOrEnd(code); code = cursor.code()) {
    if (code === quote) {
      if (quote !== singleQuote || cursor.code(1) !== singleQuote) break;
      cursor.at++;
      flush();
      start = ++cursor.at;
    } else if (code === backslash && quote === doubleQuote) {
      flush();
      cursor.at++;
      if (isBreak(cursor.code())) {
        cursor.takeBreak();
        whitespace.beginLine();
        return;
      }
      cursor.at--;
      parts.push(escaped(cursor));
      start = cursor.at;
    } else cursor.at++;
  }
  flush();
}

function escaped(cursor: Cursor): string {
  const char = cursor.text[cursor.at + 1] ?? "";
  const plain = escapes.get(char);
  const length = codeLengths.get(char);
  if (plain === undefined && length === undefined) throw cursor.error("found unknown escape character");
  cursor.at += 2;
  if (length === undefined) return plain ?? "";
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  if (!/^[0-9A-Fa-f]+$/.test(digits) || digits.length < length)
    throw cursor.error("did not find expected hexdecimal number");
  const value = Number.parseInt(digits, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    throw cursor.error("found invalid Unicode character escape code");
  cursor.at += length;
  return String.fromCodePoint(value);
}
