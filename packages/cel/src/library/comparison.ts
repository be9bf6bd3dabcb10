import { spend, spendOnText } from "../text/cost-meter.ts";
import { type FunctionDeclaration, global } from "../values/declarations.ts";
import {
  CelBytes,
  CelDuration,
  type CelError,
  CelTimestamp,
  CelUint,
  type CelValue,
  compareNumbers,
  noSuchOverload,
} from "../values/value.ts";

/** Compares two values. Returns `undefined` if one of them is NaN. */
export function compare(a: CelValue, b: CelValue): number | undefined | CelError {
  spend(1);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof CelBytes && b instanceof CelBytes) return Buffer.compare(a.value, b.value);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return order(a.ns, b.ns);
  if (a instanceof CelDuration && b instanceof CelDuration) return order(a.ns, b.ns);
  return noSuchOverload();
}

/** Compares two texts by code points, which is also the order of their UTF-8 bytes. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  spendOnText(at);
  if (at === length) return Math.sign(a.length - b.length);
  // a surrogate belongs to a code point that is higher than every code point with a single code unit
  const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
  return isHalf(left) === isHalf(right) ? Math.sign(left - right) : isHalf(left) ? 1 : -1;
}

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;

const isNumber = (value: CelValue): value is bigint | number | CelUint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

const pairs: readonly (readonly [string, string])[] = [
  ["bool", "bool, bool"],
  ["int64", "int, int"],
  ["int64_double", "int, double"],
  ["int64_uint64", "int, uint"],
  ["uint64", "uint, uint"],
  ["uint64_double", "uint, double"],
  ["uint64_int64", "uint, int"],
  ["double", "double, double"],
  ["double_int64", "double, int"],
  ["double_uint64", "double, uint"],
  ["string", "string, string"],
  ["bytes", "bytes, bytes"],
  ["timestamp", "timestamp, timestamp"],
  ["duration", "duration, duration"],
];

function relation(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration[] {
  return pairs.map(([suffix, args]) =>
    global(name, `${id}_${suffix}`, `${args} -> bool`, (a = null, b = null) => {
      const result = compare(a, b);
      if (typeof result === "object") return result;
      return result !== undefined && holds(result);
    }),
  );
}

/** The operators `<`, `<=`, `>` and `>=`. */
export const comparison: readonly FunctionDeclaration[] = [
  ...relation("_<_", "less", (order) => order < 0),
  ...relation("_<=_", "less_equals", (order) => order <= 0),
  ...relation("_>_", "greater", (order) => order > 0),
  ...relation("_>=_", "greater_equals", (order) => order >= 0),
];
