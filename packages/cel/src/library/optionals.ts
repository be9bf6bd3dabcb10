import { asList, asMap, asOptional } from "../values/arguments.ts";
import { CelEntries, CelList, CelMap } from "../values/collections.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelBytes, CelDuration, CelError, CelOptional, CelTimestamp, CelUint, type CelValue } from "../values/value.ts";

/** Reports whether a value is the zero value of its type. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true;
  if (value instanceof CelList) return value.length === 0;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelBytes) return value.value.length === 0;
  if (value instanceof CelDuration) return value.ns === 0n;
  if (value instanceof CelTimestamp) return value.ns === -62_135_596_800_000_000_000n;
  if (value instanceof CelOptional) return value.value === undefined;
  return false;
}

function unwrap(list: CelList): CelValue {
  const values: CelValue[] = [];
  for (const item of list) {
    if (!(item instanceof CelOptional)) return new CelError(`value ${String(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new CelList(values);
}

const at = (list: CelList, index: number): CelOptional =>
  list.length === 0 ? CelOptional.none : new CelOptional(list.at(index));

/** Functions for optional values, except `or` and `orValue`, which the interpreter evaluates itself. @see cel-go cel/library.go */
export const optionals: readonly FunctionDeclaration[] = [
  global("optional.of", "optional_of", "V -> optional(V)", (value) => new CelOptional(value)),
  global("optional.ofNonZeroValue", "optional_ofNonZeroValue", "V -> optional(V)", (value = null) =>
    isZero(value) ? CelOptional.none : new CelOptional(value),
  ),
  global("optional.none", "optional_none", " -> optional(V)", () => CelOptional.none),
  member("value", "optional_value", "optional(V) -> V", (optional) => {
    const { value } = asOptional(optional);
    return value === undefined ? new CelError("optional.none() dereference") : value;
  }),
  member(
    "hasValue",
    "optional_hasValue",
    "optional(V) -> bool",
    (optional) => asOptional(optional).value !== undefined,
  ),
  member("or", "optional_or_optional", "optional(V), optional(V) -> optional(V)", (a, b) =>
    asOptional(a).value === undefined ? asOptional(b) : asOptional(a),
  ),
  member("orValue", "optional_orValue_value", "optional(V), V -> V", (a, b = null) => asOptional(a).value ?? b),
  member("first", "list_first", "list(V) -> optional(V)", (list) => at(asList(list), 0)),
  member("last", "list_last", "list(V) -> optional(V)", (list) => at(asList(list), asList(list).length - 1)),
  global("optional.unwrap", "optional_unwrap", "list(optional(V)) -> list(V)", (list) => unwrap(asList(list))),
  member("unwrapOpt", "optional_unwrapOpt", "list(optional(V)) -> list(V)", (list) => unwrap(asList(list))),
];

function inserted(map: CelMap, more: readonly (readonly [CelValue, CelValue])[]): CelValue {
  for (const [key] of more)
    if (map.find(key) !== undefined) return new CelError(`insert failed: key ${String(key)} already exists`);
  return CelEntries.grown(map, more);
}

/**
 * The function that the macros `transformMap` and `transformMapEntry` use to build their results.
 *
 * @see cel-go ext/comprehensions.go
 */
export const mapInsert: readonly FunctionDeclaration[] = [
  global(
    "cel.@mapInsert",
    "@mapInsert_map_key_value",
    "map(K, V), K, V -> map(K, V)",
    (map, key = null, value = null) => inserted(asMap(map), [[key, value]]),
  ),
  global("cel.@mapInsert", "@mapInsert_map_map", "map(K, V), map(K, V) -> map(K, V)", (map, more) =>
    inserted(
      asMap(map),
      [...asMap(more).keys()].map((key) => [key, asMap(more).find(key) ?? null] as const),
    ),
  ),
];
