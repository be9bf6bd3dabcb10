/** Maximum nesting depth of a CNF's response. This and the next limit are far above any real response, but low enough for fast parsing. */
const deepest = 64;
const maxValues = 250_000;

const [quote, backslash, comma, opens, closes] = ['"', "\\", ",", "[{", "]}"];

/**
 * Returns the first JSON document in a string. The reference CNF appends a second document to some responses: its
 * remotes to the IPsec status, and the request to an error. The string is scanned only once before the document is
 * parsed.
 *
 * @throws {SyntaxError} if the string does not start with a document
 * @throws {RangeError} if the document is nested deeper than 64 levels, or has more than 250,000 values
 */
export function parseFirstJson(text: string): unknown {
  const end = endOfFirstDocument(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (end === undefined || end === text.length) throw error;
    return JSON.parse(text.slice(0, end));
  }
}

/** Returns the end of the first object or list in a string, or undefined if it is not complete. */
function endOfFirstDocument(text: string): number | undefined {
  let depth = 0;
  let values = 0;
  let end: number | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === quote) index = endOfText(text, index);
    else if (character === comma) values++;
    else if (opens.includes(character)) {
      depth++;
      values++;
    } else if (closes.includes(character)) {
      depth--;
      if (depth === 0) end ??= index + 1;
    }
    if (depth > deepest) throw new RangeError(`is nested more than ${deepest} levels deep`);
    if (values > maxValues) throw new RangeError(`contains more than ${maxValues} values`);
  }
  return end;
}

/** Returns the index of the quotation mark that ends the string starting at `start`, or the last index if the mark is missing. */
function endOfText(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charAt(index) !== quote) index += text.charAt(index) === backslash ? 2 : 1;
  return Math.min(index, text.length - 1);
}
