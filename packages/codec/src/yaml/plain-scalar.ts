import { type Cursor, end, isBlank, isBlankOrEnd, isBreak } from "./cursor.ts";
import { Whitespace } from "./folded-text.ts";

const [hash, comma, colon, question, openBracket, closeBracket, openBrace, closeBrace] = [
  0x23, 0x2c, 0x3a, 0x3f, 0x5b, 0x5d, 0x7b, 0x7d,
];

const endsInFlow = (code: number): boolean =>
  code === comma ||
  code === question ||
  code === openBracket ||
  code === closeBracket ||
  code === openBrace ||
  code === closeBrace;

/** Scans an unquoted scalar. In block context, the scalar ends before a line that starts to the left of column `indent`. */
export function scanPlainScalar(
  cursor: Cursor,
  indent: number,
  isInFlow: boolean,
): { readonly text: string; readonly endsLine: boolean } {
  const parts: string[] = [];
  const whitespace = new Whitespace(cursor);
  while (!cursor.isAtDocumentIndicator && cursor.code() !== hash) {
    const start = cursor.at;
    for (let code = cursor.code(); !isBlankOrEnd(code); code = cursor.code()) {
      if ((code === colon && isBlankOrEnd(cursor.code(1))) || (isInFlow && endsInFlow(code))) break;
      cursor.at++;
    }
    if (cursor.at > start) parts.push(whitespace.fold(), cursor.text.slice(start, cursor.at));
    const code = cursor.code();
    if (code === end || !(isBlank(code) || isBreak(code))) break;
    whitespace.take(indent);
    if (!isInFlow && cursor.column < indent) break;
  }
  return { text: parts.join(""), endsLine: whitespace.hasBreak };
}
