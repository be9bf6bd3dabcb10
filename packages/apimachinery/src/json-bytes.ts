const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d];
const [quote, backslash, comma, colon, minus, plus, point] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [digit0, digit9, letterA, letterE, letterF, letterU] = [0x30, 0x39, 0x61, 0x65, 0x66, 0x75];

const escapes = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const literals = ["true", "false", "null"].map((text) => new TextEncoder().encode(text));

/** Deeper values are left to `JSON.parse`. */
const maxDepth = 200;
/** From here on an integer may be one that a double cannot hold; see `parseJson`. */
const longNumber = 16;

/** What encloses the present value, and what encloses that: 1 for an object, 0 for an array. */
const enclosing = new Uint8Array(maxDepth);

/**
 * Where the JSON value that begins at `start` ends, found without making anything of it. What is passed over, `JSON.parse` reads
 * without error when it is decoded as UTF-8.
 *
 * This is one loop on purpose: it passes over every byte of every event, and calls for each token double its time. Reading past the
 * end gives `undefined`, which equals no byte and so ends in -1.
 *
 * @returns the position after the value, or -1: the bytes are no JSON, or JSON that `parseJson` is to look at (very deep, or with
 *   numbers of 16 and more characters)
 */
export function endOfJsonValue(bytes: Uint8Array, start: number): number {
  let at = start;
  let depth = 0;
  let inObject = false;
  for (;;) {
    const first = bytes[at] as number;
    if (first === quote) {
      let byte = bytes[++at] as number;
      while (byte !== quote && byte !== backslash && byte >= space) byte = bytes[++at] as number;
      at = byte === quote ? at + 1 : endOfUnusualString(bytes, at);
    } else if (first === openBrace || first === openBracket) {
      at = afterSpace(bytes, at + 1);
      if (bytes[at] === (first === openBrace ? closeBrace : closeBracket)) at++;
      else if (depth === maxDepth) return -1;
      else {
        enclosing[depth++] = inObject ? 1 : 0;
        inObject = first === openBrace;
        if (inObject) at = afterName(bytes, at);
        if (at < 0) return -1;
        continue;
      }
    } else at = endOfScalar(bytes, at);
    if (at < 0) return -1;
    for (;;) {
      if (depth === 0) return at;
      if ((bytes[at] as number) <= space) at = afterSpace(bytes, at);
      const next = bytes[at];
      if (next === comma) {
        at = afterSpace(bytes, at + 1);
        if (inObject) at = afterName(bytes, at);
        if (at < 0) return -1;
        break;
      }
      if (next !== (inObject ? closeBrace : closeBracket)) return -1;
      at++;
      inObject = enclosing[--depth] === 1;
    }
  }
}

/** The first position from `start` on that is no white space. */
export function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte > space || !(byte === space || byte === lineFeed || byte === carriageReturn || byte === tab)) return at;
    at++;
  }
}

/** Where the value begins whose name begins at `start`; -1 if there is no name, or no colon. */
function afterName(bytes: Uint8Array, start: number): number {
  const end = endOfJsonString(bytes, start);
  if (end < 0) return -1;
  const atColon = bytes[end] === colon ? end : afterSpace(bytes, end);
  return bytes[atColon] === colon ? afterSpace(bytes, atColon + 1) : -1;
}

/** The position after the string whose opening quote is at `start`, or -1. */
export function endOfJsonString(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== quote) return -1;
  let at = start + 1;
  let byte = bytes[at] as number;
  while (byte !== quote && byte !== backslash && byte >= space) byte = bytes[++at] as number;
  return byte === quote ? at + 1 : endOfUnusualString(bytes, at);
}

/** The rest of a string from its first escape on. */
function endOfUnusualString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === backslash) {
    const escaped = bytes[at + 1] as number;
    if (escaped === letterU && areHexDigits(bytes, at + 2)) at += 6;
    else if (escapes.has(escaped)) at += 2;
    else return -1;
    let byte = bytes[at] as number;
    while (byte !== quote && byte !== backslash && byte >= space) byte = bytes[++at] as number;
  }
  return bytes[at] === quote ? at + 1 : -1;
}

function areHexDigits(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < start + 4; at++) {
    const byte = bytes[at] as number;
    const lower = byte | 0x20;
    if (!isDigit(byte) && !(lower >= letterA && lower <= letterF)) return false;
  }
  return true;
}

function endOfScalar(bytes: Uint8Array, start: number): number {
  const first = bytes[start] as number;
  if (isDigit(first) || first === minus) return endOfNumber(bytes, start);
  for (const literal of literals) {
    if (literal[0] !== first) continue;
    for (let i = 1; i < literal.length; i++) if (bytes[start + i] !== literal[i]) return -1;
    return start + literal.length;
  }
  return -1;
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  const integer = bytes[start] === minus ? start + 1 : start;
  let at = afterDigits(bytes, integer);
  if (at === integer || (bytes[integer] === digit0 && at > integer + 1)) return -1;
  if (bytes[at] === point) {
    const fraction = at + 1;
    at = afterDigits(bytes, fraction);
    if (at === fraction) return -1;
  }
  if (((bytes[at] as number) | 0x20) === letterE) {
    const sign = bytes[at + 1];
    const exponent = sign === minus || sign === plus ? at + 2 : at + 1;
    at = afterDigits(bytes, exponent);
    if (at === exponent) return -1;
  }
  return at - start < longNumber ? at : -1;
}

function afterDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at] as number)) at++;
  return at;
}

const isDigit = (byte: number): boolean => byte >= digit0 && byte <= digit9;
