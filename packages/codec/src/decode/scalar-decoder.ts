import { Quantity, quote } from "@kubewright/apimachinery";
import { base64In } from "../body/base64.ts";
import type { ScalarName } from "../schema/type-schema.ts";

/** Thrown if a value does not have the schema's type. `detail` replaces the usual message. */
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
 * Converts a JSON value to the form in which Go writes a scalar type.
 *
 * @throws {ScalarError} if the value does not have the type
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
 * Converts a value as upstream does when it converts a map instead of parsing text: whole numbers are truncated to the width of the type.
 *
 * @throws {ScalarError} if the value does not have the type
 *
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
  const clean = base64In(text);
  if (clean === undefined) throw new ScalarError("illegal base64 data");
  return clean;
}

const quantityShape = /^[+-]?\d*(?:\.\d*)?(?:[eEinumkKMGTP]+[+-]?\d*|[+-]\d*)?$/;

function decodeQuantity(value: unknown): string {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  if (text === "-" || text === "+") return "0"; // upstream parses a sign without digits as zero
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
    example: "2006-01-02T15:04:05Z",
  },
  micros: {
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/,
    example: "2006-01-02T15:04:05.000000Z",
  },
} as const;

const longestShown = 100;

function decodeTime(value: unknown, precision: keyof typeof layouts): string {
  if (typeof value !== "string") throw new ScalarError();
  const { pattern, example } = layouts[precision];
  const ms = Date.parse(value);
  if (!pattern.test(value) || Number.isNaN(ms))
    throw new ScalarError(`${quote(value.slice(0, longestShown))} is not a time such as ${example}`);
  const whole = new Date(ms).toISOString().slice(0, 19);
  return precision === "seconds" ? `${whole}Z` : `${whole}.${(/\.(\d{6})/.exec(value) ?? [])[1]}Z`;
}
