const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The extent of a JSON text, or limits for it. */
export interface JsonExtent {
  /** Depth of the nested lists and objects. */
  readonly levels: number;
  /** Number of commas, lists and objects, which is an upper bound on the number of members and items. */
  readonly values: number;
}

/**
 * Returns the extent of a JSON text. Scans the text once without parsing it, and stops as soon as a limit is exceeded.
 * The result for invalid JSON is unspecified.
 */
export function extentOf(json: Uint8Array, most: JsonExtent): JsonExtent {
  let [depth, levels, values] = [0, 0, 0];
  for (let at = 0; at < json.length && levels <= most.levels && values <= most.values; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma) values++;
    else if (byte === openObject || byte === openList) {
      values++;
      levels = Math.max(levels, ++depth);
    } else if (byte === closeObject || byte === closeList) depth--;
  }
  return { levels, values };
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  const end = json.indexOf(quote, start + 1);
  if (end === -1) return json.length;
  if (json[end - 1] !== backslash) return end;
  // the quote may be escaped; a search per quote would be slow for millions of them
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === backslash) at++;
    else if (json[at] === quote) return at;
  }
  return json.length;
}
