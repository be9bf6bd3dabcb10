import { asInt, asString } from "../arguments.ts";
import { CelList } from "../collections.ts";
import { type FunctionDeclaration, member } from "../declarations.ts";
import { compileRegExp } from "../regular-expression.ts";
import { CelError, type CelValue } from "../value.ts";

function find(text: string, pattern: string): CelValue {
  const compiled = compileRegExp(pattern);
  return compiled instanceof RegExp
    ? (compiled.exec(text)?.[0] ?? "")
    : new CelError(`Illegal regex: ${compiled.error}`);
}

function findAll(text: string, pattern: string, limit: bigint): CelValue {
  const compiled = compileRegExp(pattern, "g");
  if (!(compiled instanceof RegExp)) return new CelError(`Illegal regex: ${compiled.error}`);
  let end = -1;
  const found: string[] = [];
  for (const { 0: match, index } of text.matchAll(compiled)) {
    // nothing is found right behind a match
    if (match !== "" || index !== end) found.push(match);
    end = index + match.length;
  }
  return new CelList(limit < 0n ? found : found.slice(0, Number(limit)));
}

/** Searching by regular expressions. @see apiserver pkg/cel/library/regex.go */
export const regex: readonly FunctionDeclaration[] = [
  member("find", "string_find_string", "string, string -> string", (a, b) => find(asString(a), asString(b))),
  member("findAll", "string_find_all_string", "string, string -> list(string)", (a, b) =>
    findAll(asString(a), asString(b), -1n),
  ),
  member("findAll", "string_find_all_string_int", "string, string, int -> list(string)", (a, b, n) =>
    findAll(asString(a), asString(b), asInt(n)),
  ),
];
