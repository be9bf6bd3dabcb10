import { Quantity, quote, quoteTime } from "@kubewright/apimachinery";
import type { ScalarName } from "../schema/type-schema.ts";

/** The value does not have the type that the schema wants; `detail` overrides the usual sentence about types. */
export class ScalarError extends Error {
  readonly detail: string | undefined;

  constructor(detail?: string) {
    super(detail ?? "wrong type");
    this.detail = detail;
  }
}

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 255n],
};

/**
 * A JSON value as a scalar of the Go type would be printed again.
 *
 * @throws {ScalarError}
 */
export function decodeScalar(value: unknown, type: ScalarName): unknown {
  switch (type) {
    case "string":
    case "Duration":
      if (typeof value !== "string") throw new ScalarError();
      return value;
    case "bool":
      if (typeof value !== "boolean") throw new ScalarError();
      return value;
    case "double":
      if (typeof value !== "number" && typeof value !== "bigint") throw new ScalarError();
      return value;
    case "bytes":
      if (typeof value !== "string") throw new ScalarError();
      return checkBase64(value);
    case "Time":
      return decodeTime(value, "seconds");
    case "MicroTime":
      return decodeTime(value, "micros");
    case "Quantity":
      return decodeQuantity(value);
    case "IntOrString":
      return typeof value === "string" ? value : decodeInteger(value, "int32");
    default:
      return decodeInteger(value, type);
  }
}

/**
 * A value as upstream converts it where it has a map rather than text: whole numbers lose what the type has no bits for.
 *
 * @throws {ScalarError}
 * @see apimachinery pkg/runtime converter.go
 */
export function convertScalar(value: unknown, type: ScalarName): unknown {
  const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
  if (!isWhole || (type !== "int32" && type !== "int64")) return decodeScalar(value, type);
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  const whole = BigInt(value) < least || BigInt(value) > most ? least : BigInt(value);
  const kept = BigInt.asIntN(type === "int32" ? 32 : 64, whole);
  return Number.isSafeInteger(Number(kept)) ? Number(kept) : kept;
}

function decodeInteger(value: unknown, type: string): number | bigint {
  if (typeof value !== "number" && typeof value !== "bigint") throw new ScalarError();
  const [least, most] = ranges[type] ?? [0n, 0n];
  if (typeof value === "number" && !Number.isInteger(value)) throw new ScalarError();
  const whole = BigInt(value);
  if (whole < least || whole > most) throw new ScalarError();
  return value;
}

function checkBase64(text: string): string {
  const clean = text.replace(/[\r\n]/g, "");
  const wrong = (position: number): ScalarError => new ScalarError(`illegal base64 data at input byte ${position}`);
  const end = /[^A-Za-z0-9+/]/.exec(clean)?.index ?? clean.length;
  if (end === clean.length) {
    if (end % 4 !== 0) throw wrong(end - (end % 4));
    return clean;
  }
  if (clean[end] !== "=" || end % 4 < 2) throw wrong(end);
  const padding = end % 4 === 2 ? 2 : 1;
  if (padding === 2 && end + 1 === clean.length) throw wrong(clean.length);
  if (padding === 2 && clean[end + 1] !== "=") throw wrong(end);
  if (end + padding < clean.length) throw wrong(end + padding);
  return clean;
}

const quantityShape = /^[+-]?\d*(?:\.\d*)?(?:[eEinumkKMGTP]+[+-]?\d*|[+-]\d*)?$/;

function decodeQuantity(value: unknown): string {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  if (text === "-" || text === "+") return "0"; // a sign alone is zero to upstream's parser
  if (typeof text !== "string" || text === "" || !quantityShape.test(text))
    throw new ScalarError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  if (!Quantity.isValid(text)) throw new ScalarError("unable to parse quantity's suffix");
  return Quantity.parse(text).toString();
}

const layouts = {
  seconds: {
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
    text: "2006-01-02T15:04:05Z07:00",
  },
  micros: {
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/,
    text: "2006-01-02T15:04:05.000000Z07:00",
  },
} as const;

function decodeTime(value: unknown, precision: keyof typeof layouts): string {
  if (typeof value !== "string") throw new ScalarError();
  const { pattern, text } = layouts[precision];
  const ms = Date.parse(value);
  if (!pattern.test(value) || Number.isNaN(ms)) throw new ScalarError(timeError(value, precision, text));
  const whole = new Date(ms).toISOString().slice(0, 19);
  return precision === "seconds" ? `${whole}Z` : `${whole}.${(/\.(\d{6})/.exec(value) ?? [])[1]}Z`;
}

function timeError(value: string, precision: keyof typeof layouts, layout: string): string {
  const { pattern } = layouts[precision];
  const whole = new RegExp(pattern.source.slice(0, -1)).exec(value)?.[0];
  if (whole !== undefined && whole.length < value.length)
    return `parsing time ${quoteTime(value)}: extra text: ${quoteTime(value.slice(whole.length))}`;
  const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value)?.[0];
  const [rest, wanted] =
    seconds === undefined
      ? [value, "2006"]
      : [value.slice(seconds.length), precision === "micros" ? ".000000" : "Z07:00"];
  return `parsing time ${quoteTime(value)} as ${quote(layout)}: cannot parse ${quoteTime(rest)} as ${quote(wanted)}`;
}
