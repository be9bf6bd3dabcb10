import { parseGoDuration } from "@kubewright/apimachinery";
import { spend, spendOnText } from "../text/cost-meter.ts";
import { formatDouble, formatRfc3339, formatSeconds, parseRfc3339 } from "../text/go-text.ts";
import { asBool, asBytes, asDouble, asDuration, asInt, asString, asTimestamp, asUint } from "../values/arguments.ts";
import { type FunctionDeclaration, global } from "../values/declarations.ts";
import { CelBytes, CelDuration, CelError, CelTimestamp, CelTypeValue, type CelValue, typeOf } from "../values/value.ts";
import { int, timestamp, uint } from "./arithmetic.ts";

const second = 1_000_000_000n;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const trueTexts = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const falseTexts = new Set(["0", "f", "F", "FALSE", "false", "False"]);

const impossible = (from: string, to: string): CelError =>
  new CelError(`type conversion error from '${from}' to '${to}'`);

function doubleToInt(value: number): CelValue {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function doubleToUint(value: number): CelValue {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return new CelError("unsigned integer overflow");
  return uint(BigInt(Math.trunc(value)));
}

function stringToDouble(text: string): CelValue {
  spendOnText(text.length);
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : impossible("string", "double");
  }
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinity = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (infinity) return infinity[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return impossible("string", "double");
}

function bytesToString(bytes: Uint8Array): CelValue {
  try {
    return utf8.decode(bytes);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function stringToInt(text: string, to: string, make: (value: bigint) => CelValue): CelValue {
  spendOnText(text.length);
  const pattern = to === "int" ? /^[+-]?\d+$/ : /^\d+$/;
  const value = pattern.test(text) && !isOver64Bits(text) ? make(BigInt(text)) : undefined;
  return value === undefined || value instanceof CelError ? impossible("string", to) : value;
}

/** Reports whether a number needs more than 64 bits, without parsing it. */
const isOver64Bits = (text: string): boolean => text.length > 20 && text.replace(/^[+-]?0*/, "").length > 20;

function stringToTimestamp(text: string): CelValue {
  spendOnText(text.length);
  const time = parseRfc3339(text);
  if (!time) return impossible("string", "google.protobuf.Timestamp");
  const checked = timestamp(time.ns);
  return checked instanceof CelTimestamp ? new CelTimestamp(time.ns, time.zoneMinutes) : checked;
}

function stringToDuration(text: string): CelValue {
  spend(text.length);
  const ns = parseGoDuration(text);
  return ns === undefined ? impossible("string", "google.protobuf.Duration") : new CelDuration(ns);
}

function stringToBool(text: string): CelValue {
  if (trueTexts.has(text)) return true;
  return falseTexts.has(text) ? false : impossible("string", "bool");
}

const same = (value?: CelValue): CelValue => value ?? null;

/** Type conversion functions, and the functions `type(x)` and `dyn(x)`. @see cel-go common/stdlib/standard.go */
export const conversion: readonly FunctionDeclaration[] = [
  global("type", "type", "A -> type(A)", (value) => new CelTypeValue(typeOf(value ?? null))),
  global("dyn", "to_dyn", "A -> dyn", same),
  global("bool", "bool_to_bool", "bool -> bool", same),
  global("bool", "string_to_bool", "string -> bool", (a) => stringToBool(asString(a))),
  global("bytes", "bytes_to_bytes", "bytes -> bytes", same),
  global("bytes", "string_to_bytes", "string -> bytes", (a) => new CelBytes(Buffer.from(asString(a), "utf8"))),
  global("double", "double_to_double", "double -> double", same),
  global("double", "int64_to_double", "int -> double", (a) => Number(asInt(a))),
  global("double", "string_to_double", "string -> double", (a) => stringToDouble(asString(a))),
  global("double", "uint64_to_double", "uint -> double", (a) => Number(asUint(a))),
  global("duration", "duration_to_duration", "duration -> duration", same),
  global("duration", "int64_to_duration", "int -> duration", () => impossible("int", "google.protobuf.Duration")),
  global("duration", "string_to_duration", "string -> duration", (a) => stringToDuration(asString(a))),
  global("int", "int64_to_int64", "int -> int", same),
  global("int", "double_to_int64", "double -> int", (a) => doubleToInt(asDouble(a))),
  global("int", "duration_to_int64", "duration -> int", (a) => asDuration(a)),
  global("int", "string_to_int64", "string -> int", (a) => stringToInt(asString(a), "int", int)),
  global("int", "timestamp_to_int64", "timestamp -> int", (a) => floorSeconds(asTimestamp(a))),
  global("int", "uint64_to_int64", "uint -> int", (a) => int(asUint(a))),
  global("string", "string_to_string", "string -> string", same),
  global("string", "bool_to_string", "bool -> string", (a) => String(asBool(a))),
  global("string", "bytes_to_string", "bytes -> string", (a) => bytesToString(asBytes(a))),
  global("string", "double_to_string", "double -> string", (a) => formatDouble(asDouble(a), 6)),
  global("string", "duration_to_string", "duration -> string", (a) => formatSeconds(asDuration(a))),
  global("string", "int64_to_string", "int -> string", (a) => String(asInt(a))),
  global("string", "timestamp_to_string", "timestamp -> string", (a) => timeText(a)),
  global("string", "uint64_to_string", "uint -> string", (a) => String(asUint(a))),
  global("timestamp", "timestamp_to_timestamp", "timestamp -> timestamp", same),
  global("timestamp", "int64_to_timestamp", "int -> timestamp", (a) => timestamp(asInt(a) * second)),
  global("timestamp", "string_to_timestamp", "string -> timestamp", (a) => stringToTimestamp(asString(a))),
  global("uint", "uint64_to_uint64", "uint -> uint", same),
  global("uint", "double_to_uint64", "double -> uint", (a) => doubleToUint(asDouble(a))),
  global("uint", "int64_to_uint64", "int -> uint", (a) => uint(asInt(a))),
  global("uint", "string_to_uint64", "string -> uint", (a) => stringToInt(asString(a), "uint", uint)),
];

const timeText = (value?: CelValue): string =>
  formatRfc3339(asTimestamp(value), value instanceof CelTimestamp ? value.zoneMinutes : 0);

/** Rounds nanoseconds down to whole seconds. */
export const floorSeconds = (ns: bigint): bigint => ns / second - (ns % second < 0n ? 1n : 0n);

/** Parses a time. Returns `undefined` if the text is not a time. */
export const timestampOf = (text: string): CelTimestamp | undefined => {
  const value = stringToTimestamp(text);
  return value instanceof CelTimestamp ? value : undefined;
};
