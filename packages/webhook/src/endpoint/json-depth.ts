const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Reports whether the lists and objects in a JSON text are nested more than `most` levels deep. Reads the text once and does not parse it.
 * The result for invalid JSON is unspecified.
 */
export function nestsDeeperThan(json: Uint8Array, most: number): boolean {
  if (json.length <= most) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === openObject || byte === openList) {
      depth++;
      if (depth > most) return true;
    } else if (byte === closeObject || byte === closeList) depth--;
  }
  return false;
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  let end = json.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(quote, end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === backslash) backslashes++;
  return backslashes % 2 === 1;
}
