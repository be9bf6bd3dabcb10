import { type Cursor, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, isWord } from "./cursor.ts";

/** A tag as written in the text: `!!int` has the handle `!!` and the suffix `int`, and `!<uri>` has no handle. */
export interface Tag {
  readonly handle: string;
  readonly suffix: string;
}

export type Directive =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "tag"; readonly handle: string; readonly prefix: string };

const exclamation = 0x21;
const uriCharacters = new Set([..."!;/?:@&=+$,.~*'()[]"].map((char) => char.charCodeAt(0)));
const isUri = (code: number): boolean => isWord(code) || uriCharacters.has(code);

export function scanTag(cursor: Cursor): Tag {
  let handle = "";
  let suffix: string;
  if (cursor.code(1) === 0x3c) {
    cursor.at += 2;
    suffix = scanUri(cursor, "");
    if (cursor.code() !== 0x3e) throw cursor.error("did not find the expected '>'");
    cursor.at++;
  } else {
    handle = scanHandle(cursor, false);
    if (handle.length > 1 && handle.endsWith("!")) suffix = scanUri(cursor, "");
    else {
      suffix = scanUri(cursor, handle);
      handle = "!";
      if (suffix === "") [handle, suffix] = ["", "!"]; // a single `!` is a tag without a handle
    }
  }
  if (!isBlankOrEnd(cursor.code())) throw cursor.error("did not find expected whitespace or line break");
  return { handle, suffix };
}

function scanHandle(cursor: Cursor, isDirective: boolean): string {
  if (cursor.code() !== exclamation) throw cursor.error("did not find expected '!'");
  const start = cursor.at++;
  while (isWord(cursor.code())) cursor.at++;
  if (cursor.code() === exclamation) cursor.at++;
  else if (isDirective && cursor.at - start > 1) throw cursor.error("did not find expected '!'");
  return cursor.text.slice(start, cursor.at);
}

/** Scans the rest of a URI. `head` is the part that has been read already; its first character, `!`, is not part of the URI. */
function scanUri(cursor: Cursor, head: string): string {
  const parts = [head.slice(1)];
  const start = cursor.at;
  for (;;) {
    parts.push(cursor.takeWhile(isUri));
    if (cursor.code() !== 0x25) break;
    parts.push(unescapeUri(cursor));
  }
  if (head === "" && cursor.at === start) throw cursor.error("did not find expected tag URI");
  return parts.join("");
}

function unescapeUri(cursor: Cursor): string {
  const octets = cursor.takeWhile((code) => code === 0x25 || /[0-9A-Fa-f]/.test(String.fromCharCode(code)));
  const [escaped] = /^(?:%[0-9A-Fa-f]{2})+/.exec(octets) ?? [];
  if (escaped === undefined) throw cursor.error("did not find URI escaped octet");
  cursor.at -= octets.length - escaped.length;
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw cursor.error("found an incorrect leading UTF-8 octet");
  }
}

/** Scans a directive from its `%` to the end of the line. */
export function scanDirective(cursor: Cursor): Directive {
  cursor.at++;
  const name = cursor.takeWhile(isWord);
  if (name === "") throw cursor.error("could not find expected directive name");
  if (!isBlankOrEnd(cursor.code())) throw cursor.error("found unexpected non-alphabetical character");
  const directive = name === "YAML" ? scanVersion(cursor) : name === "TAG" ? scanTagDirective(cursor) : undefined;
  if (!directive) throw cursor.error("found unknown directive name");
  while (isBlank(cursor.code())) cursor.at++;
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.code())) throw cursor.error("did not find expected comment or line break");
  if (isBreak(cursor.code())) cursor.takeBreak();
  return directive;
}

function scanVersion(cursor: Cursor): Directive {
  cursor.takeWhile(isBlank);
  const major = scanVersionNumber(cursor);
  if (cursor.code() !== 0x2e) throw cursor.error("did not find expected digit or '.' character");
  cursor.at++;
  return { kind: "version", version: `${major}.${scanVersionNumber(cursor)}` };
}

function scanVersionNumber(cursor: Cursor): number {
  const digits = cursor.takeWhile(isDigit);
  if (digits.length > 2) throw cursor.error("found extremely long version number");
  if (digits === "") throw cursor.error("did not find expected version number");
  return Number(digits);
}

function scanTagDirective(cursor: Cursor): Directive {
  cursor.takeWhile(isBlank);
  const handle = scanHandle(cursor, true);
  if (!isBlank(cursor.code())) throw cursor.error("did not find expected whitespace");
  cursor.takeWhile(isBlank);
  const prefix = scanUri(cursor, "");
  if (!isBlankOrEnd(cursor.code())) throw cursor.error("did not find expected whitespace or line break");
  return { kind: "tag", handle, prefix };
}
