import { asBytes, asDouble, asDuration, asInt, asList, asString, asTimestamp, asUint } from "../values/arguments.ts";
import { type FunctionDeclaration, global } from "../values/declarations.ts";
import { CelBytes, CelDuration, CelError, CelTimestamp, CelUint, type CelValue } from "../values/value.ts";

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;
const minTimestamp = -62_135_596_800n * 1_000_000_000n;
const maxTimestamp = 253_402_300_800n * 1_000_000_000n - 1n;

export const int = (value: bigint): CelValue =>
  value > maxInt || value < minInt ? new CelError("integer overflow") : value;

export const uint = (value: bigint): CelValue =>
  value > maxUint || value < 0n ? new CelError("unsigned integer overflow") : new CelUint(value);

export const duration = (ns: bigint): CelValue =>
  ns > maxInt || ns < minInt ? new CelError("duration overflow") : new CelDuration(ns);

export const timestamp = (ns: bigint): CelValue =>
  ns > maxTimestamp || ns < minTimestamp ? new CelError("timestamp overflow") : new CelTimestamp(ns);

/** Creates an operator that divides two integers of the same type. Its second operand must not be 0. */
const divided =
  (what: string, wrap: (value: bigint) => CelValue, compute: (a: bigint, b: bigint) => bigint) =>
  (a: bigint, b: bigint): CelValue =>
    b === 0n ? new CelError(`${what} by zero`) : wrap(compute(a, b));

const ints = (compute: (a: bigint, b: bigint) => CelValue) => (a?: CelValue, b?: CelValue) =>
  compute(asInt(a), asInt(b));
const uints = (compute: (a: bigint, b: bigint) => CelValue) => (a?: CelValue, b?: CelValue) =>
  compute(asUint(a), asUint(b));
const doubles = (compute: (a: number, b: number) => number) => (a?: CelValue, b?: CelValue) =>
  compute(asDouble(a), asDouble(b));

/** The operators `+`, `-`, `*`, `/`, `%` and unary minus. @see cel-go common/stdlib/standard.go */
export const arithmetic: readonly FunctionDeclaration[] = [
  global("_+_", "add_bytes", "bytes, bytes -> bytes", (a, b) => new CelBytes(Buffer.concat([asBytes(a), asBytes(b)]))),
  global(
    "_+_",
    "add_double",
    "double, double -> double",
    doubles((a, b) => a + b),
  ),
  global("_+_", "add_duration_duration", "duration, duration -> duration", (a, b) =>
    duration(asDuration(a) + asDuration(b)),
  ),
  global("_+_", "add_duration_timestamp", "duration, timestamp -> timestamp", (a, b) =>
    timestamp(asDuration(a) + asTimestamp(b)),
  ),
  global("_+_", "add_timestamp_duration", "timestamp, duration -> timestamp", (a, b) =>
    timestamp(asTimestamp(a) + asDuration(b)),
  ),
  global(
    "_+_",
    "add_int64",
    "int, int -> int",
    ints((a, b) => int(a + b)),
  ),
  global("_+_", "add_list", "list(A), list(A) -> list(A)", (a, b) => asList(a).concat(asList(b))),
  global("_+_", "add_string", "string, string -> string", (a, b) => asString(a) + asString(b)),
  global(
    "_+_",
    "add_uint64",
    "uint, uint -> uint",
    uints((a, b) => uint(a + b)),
  ),
  global(
    "_-_",
    "subtract_double",
    "double, double -> double",
    doubles((a, b) => a - b),
  ),
  global("_-_", "subtract_duration_duration", "duration, duration -> duration", (a, b) =>
    duration(asDuration(a) - asDuration(b)),
  ),
  global(
    "_-_",
    "subtract_int64",
    "int, int -> int",
    ints((a, b) => int(a - b)),
  ),
  global("_-_", "subtract_timestamp_duration", "timestamp, duration -> timestamp", (a, b) =>
    timestamp(asTimestamp(a) - asDuration(b)),
  ),
  global("_-_", "subtract_timestamp_timestamp", "timestamp, timestamp -> duration", (a, b) =>
    duration(asTimestamp(a) - asTimestamp(b)),
  ),
  global(
    "_-_",
    "subtract_uint64",
    "uint, uint -> uint",
    uints((a, b) => uint(a - b)),
  ),
  global(
    "_*_",
    "multiply_double",
    "double, double -> double",
    doubles((a, b) => a * b),
  ),
  global(
    "_*_",
    "multiply_int64",
    "int, int -> int",
    ints((a, b) => int(a * b)),
  ),
  global(
    "_*_",
    "multiply_uint64",
    "uint, uint -> uint",
    uints((a, b) => uint(a * b)),
  ),
  global(
    "_/_",
    "divide_double",
    "double, double -> double",
    doubles((a, b) => a / b),
  ),
  global("_/_", "divide_int64", "int, int -> int", ints(divided("division", int, (a, b) => a / b))),
  global("_/_", "divide_uint64", "uint, uint -> uint", uints(divided("division", uint, (a, b) => a / b))),
  global("_%_", "modulo_int64", "int, int -> int", ints(divided("modulus", int, (a, b) => a % b))),
  global("_%_", "modulo_uint64", "uint, uint -> uint", uints(divided("modulus", uint, (a, b) => a % b))),
  global("-_", "negate_double", "double -> double", (a) => -asDouble(a)),
  global("-_", "negate_int64", "int -> int", (a) => int(-asInt(a))),
];
