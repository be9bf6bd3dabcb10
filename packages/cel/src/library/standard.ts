import { lengthOf } from "../text/code-points.ts";
import { compilePattern, isBadPattern } from "../text/regular-expression.ts";
import { indexOfText } from "../text/text-search.ts";
import { asBytes, asList, asMap, asString } from "../values/arguments.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, type CelValue, equal, isError } from "../values/value.ts";
import { matchingErrors } from "./matching-errors.ts";

function matches(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  return isBadPattern(compiled) ? new CelError(compiled.error) : matchingErrors(() => compiled.test(text));
}

const handled = (): CelValue => new CelError("no such overload");

/** Evaluates `!=`. */
const notEqual = (a: CelValue, b: CelValue): CelValue => {
  const same = equal(a, b);
  return isError(same) ? same : !same;
};

/**
 * The standard operators (except arithmetic and comparison), and the standard functions for strings and sizes. @see
 * cel-go common/stdlib/standard.go
 */
export const standard: readonly FunctionDeclaration[] = [
  // the interpreter itself evaluates these, because they do not need all of their arguments, or accept any type
  global("_?_:_", "conditional", "bool, A, A -> A", handled),
  global("_&&_", "logical_and", "bool, bool -> bool", handled),
  global("_||_", "logical_or", "bool, bool -> bool", handled),
  global("@not_strictly_false", "not_strictly_false", "bool -> bool", handled),
  global("_==_", "equals", "A, A -> bool", (a = null, b = null) => equal(a, b)),
  global("_!=_", "not_equals", "A, A -> bool", (a = null, b = null) => notEqual(a, b)),
  global("_[_]", "index_list", "list(A), int -> A", handled),
  global("_[_]", "index_map", "map(A, B), A -> B", handled),
  global("_[_]", "optional_list_index_int", "optional(list(A)), int -> optional(A)", handled),
  global("_[_]", "optional_map_index_value", "optional(map(A, B)), A -> optional(B)", handled),
  global("_[?_]", "list_optindex_optional_int", "list(A), int -> optional(A)", handled),
  global("_[?_]", "optional_list_optindex_optional_int", "optional(list(A)), int -> optional(A)", handled),
  global("_[?_]", "map_optindex_optional_value", "map(A, B), A -> optional(B)", handled),
  global("_[?_]", "optional_map_optindex_optional_value", "optional(map(A, B)), A -> optional(B)", handled),
  global("!_", "logical_not", "bool -> bool", (a) => a !== true),
  global("@in", "in_list", "A, list(A) -> bool", (item = null, list) => asList(list).has(item)),
  global("@in", "in_map", "A, map(A, B) -> bool", (key = null, map) => asMap(map).find(key) !== undefined),
  ...["size"].flatMap((name) => [
    global(name, "size_bytes", "bytes -> int", (a) => BigInt(asBytes(a).length)),
    member(name, "bytes_size", "bytes -> int", (a) => BigInt(asBytes(a).length)),
    global(name, "size_list", "list(A) -> int", (a) => BigInt(asList(a).length)),
    member(name, "list_size", "list(A) -> int", (a) => BigInt(asList(a).length)),
    global(name, "size_map", "map(A, B) -> int", (a) => BigInt(asMap(a).size)),
    member(name, "map_size", "map(A, B) -> int", (a) => BigInt(asMap(a).size)),
    global(name, "size_string", "string -> int", (a) => BigInt(lengthOf(asString(a)))),
    member(name, "string_size", "string -> int", (a) => BigInt(lengthOf(asString(a)))),
  ]),
  member("contains", "contains_string", "string, string -> bool", (a, b) => indexOfText(asString(a), asString(b)) >= 0),
  member("endsWith", "ends_with_string", "string, string -> bool", (a, b) => asString(a).endsWith(asString(b))),
  member("startsWith", "starts_with_string", "string, string -> bool", (a, b) => asString(a).startsWith(asString(b))),
  global("matches", "matches", "string, string -> bool", (a, b) => matches(asString(a), asString(b))),
  member("matches", "matches_string", "string, string -> bool", (a, b) => matches(asString(a), asString(b))),
];
