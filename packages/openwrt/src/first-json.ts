/**
 * The first JSON document of a text. The reference CNF writes a second one after some answers: its remotes after the status of
 * IPsec, the request after an error.
 *
 * @throws {SyntaxError} if the text does not begin with a document
 */
export function parseFirstJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const end = endOfFirstDocument(text);
    if (end === undefined || end === text.length) throw error;
    return JSON.parse(text.slice(0, end));
  }
}

function endOfFirstDocument(text: string): number | undefined {
  let depth = 0;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token[0] === "{" || token[0] === "[") depth++;
    else if (token[0] === "}" || token[0] === "]") depth--;
    if (depth === 0) return token.index + token[0].length;
  }
  return undefined;
}
