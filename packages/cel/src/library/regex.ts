import { compilePattern, isBadPattern, type Pattern } from "../text/regular-expression.ts";
import { asInt, asString } from "../values/arguments.ts";
import { CelList } from "../values/collections.ts";
import { type FunctionDeclaration, member } from "../values/declarations.ts";
import { CelError, type CelValue } from "../values/value.ts";
import { matchingErrors } from "./matching-errors.ts";

function search(pattern: string, read: (pattern: Pattern) => CelValue): CelValue {
  const compiled = compilePattern(pattern);
  if (isBadPattern(compiled)) return new CelError(`Illegal regex: ${compiled.error}`);
  return matchingErrors(() => read(compiled));
}

const findAll = (text: string, pattern: string, limit: bigint): CelValue =>
  search(pattern, (compiled) => new CelList(compiled.findAll(text, Number(limit))));

/** Functions that search with regular expressions. @see apiserver pkg/cel/library/regex.go */
export const regex: readonly FunctionDeclaration[] = [
  member("find", "string_find_string", "string, string -> string", (a, b) =>
    search(asString(b), (compiled) => compiled.find(asString(a))),
  ),
  member("findAll", "string_find_all_string", "string, string -> list(string)", (a, b) =>
    findAll(asString(a), asString(b), -1n),
  ),
  member("findAll", "string_find_all_string_int", "string, string, int -> list(string)", (a, b, n) =>
    findAll(asString(a), asString(b), asInt(n)),
  ),
];
