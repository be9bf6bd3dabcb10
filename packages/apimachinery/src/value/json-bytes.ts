const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d];
const [quote, backslash, comma, colon, minus, plus, point] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [digit0, digit9, letterA, letterE, letterF, letterU] = [0x30, 0x39, 0x61, 0x65, 0x66, 0x75];

/** Contains 1 for each character that forms an escape together with a preceding backslash. */
const isEscape = new Uint8Array(256);
for (const letter of '"\\/bfnrt') isEscape[letter.charCodeAt(0)] = 1;
const literals = ["true", "false", "null"].map((text) => new TextEncoder().encode(text));

/** Maximum nesting depth. More deeply nested values are parsed with `JSON.parse`. */
const maxDepth = 200;
/** Number of characters from which a number may be an integer that a double cannot represent exactly. See `parseJson`. */
const longNumber = 16;

/** Types of the enclosing values, indexed by depth: 1 for an object, 0 for an array. */
const enclosing = new Uint8Array(maxDepth);

/**
 * Finds the end of the JSON value that starts at `start`, without parsing it. The skipped bytes, decoded as UTF-8, are
 * valid input for `JSON.parse`.
 *
 * The function is a single loop for performance: it processes every byte of every event, and a function call per token
 * would double the time it takes. Reading beyond the end yields `undefined`, which does not equal any byte, so the
 * result is -1.
 *
 * @returns the position after the value, or -1 if the bytes are not JSON or must be parsed by `parseJson` (deeply nested, or with numbers
 * of 16 or more characters)
 */
export function endOfJsonValue(bytes: Uint8Array, start: number): number {
  let at = start;
  let depth = 0;
  let inObject = false;
  for (;;) {
    let byte = bytes[at] as number;
    if (inObject) {
      if (byte !== quote) return -1;
      byte = bytes[++at] as number;
      // Nearly all characters have a code above that of the quote, so two comparisons are enough.
      while (byte > quote && byte !== backslash) byte = bytes[++at] as number;
      if (byte === quote) at++;
      else {
        at = endOfUnusualString(bytes, at);
        if (at < 0) return -1;
      }
      if (bytes[at] !== colon) {
        at = afterSpace(bytes, at);
        if (bytes[at] !== colon) return -1;
      }
      byte = bytes[++at] as number;
      if (byte <= space) {
        at = afterSpace(bytes, at);
        byte = bytes[at] as number;
      }
    }
    if (byte === quote) {
      byte = bytes[++at] as number;
      while (byte > quote && byte !== backslash) byte = bytes[++at] as number;
      if (byte === quote) at++;
      else {
        at = endOfUnusualString(bytes, at);
        if (at < 0) return -1;
      }
    } else if (byte === openBrace || byte === openBracket) {
      const isObject = byte === openBrace;
      byte = bytes[++at] as number;
      if (byte <= space) {
        at = afterSpace(bytes, at);
        byte = bytes[at] as number;
      }
      if (byte === (isObject ? closeBrace : closeBracket)) at++;
      else {
        if (depth === maxDepth) return -1;
        enclosing[depth++] = inObject ? 1 : 0;
        inObject = isObject;
        continue;
      }
    } else {
      at = endOfScalar(bytes, at);
      if (at < 0) return -1;
    }
    for (;;) {
      if (depth === 0) return at;
      byte = bytes[at] as number;
      if (byte <= space) {
        at = afterSpace(bytes, at);
        byte = bytes[at] as number;
      }
      if (byte === comma) {
        if ((bytes[++at] as number) <= space) at = afterSpace(bytes, at);
        break;
      }
      if (byte !== (inObject ? closeBrace : closeBracket)) return -1;
      at++;
      inObject = enclosing[--depth] === 1;
    }
  }
}

/** Returns the first position at or after `start` that is not white space. */
export function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte > space || !(byte === space || byte === lineFeed || byte === carriageReturn || byte === tab)) return at;
    at++;
  }
}

/**
 * Returns the position after the string whose opening quote is at `start`, or -1 if the string does not end or is not
 * valid.
 */
export function endOfJsonString(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== quote) return -1;
  let at = start + 1;
  let byte = bytes[at] as number;
  while (byte > quote && byte !== backslash) byte = bytes[++at] as number;
  return byte === quote ? at + 1 : endOfUnusualString(bytes, at);
}

/** Skips the rest of a string that contains escapes or other special characters. */
function endOfUnusualString(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === quote) return at + 1;
    if (byte === backslash) {
      const escaped = bytes[at + 1] as number;
      if (isEscape[escaped] === 1) at += 2;
      else if (escaped === letterU && areHexDigits(bytes, at + 2)) at += 6;
      else return -1;
    } else if (byte >= space) at++;
    else return -1;
  }
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
