import { describe, expect, it } from "vitest";
import type { ScalarName } from "../schema/type-schema.ts";
import { convertScalar, decodeScalar, ScalarError } from "./scalar-decoder.ts";

const quantityText = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const noTime = (text: string, example: string): string => `"${text}" is not a time such as ${example}`;
const seconds = "2006-01-02T15:04:05Z";
const micros = "2006-01-02T15:04:05.000000Z";

const decodable: readonly (readonly [type: ScalarName, value: unknown, decoded?: unknown])[] = [
  ["string", ""],
  ["Duration", "1s"],
  ["bool", false],
  ["double", 1.5],
  ["double", 5n],
  ["int32", 2 ** 31 - 1],
  ["int32", -(2 ** 31)],
  ["int64", 2n ** 63n - 1n],
  ["int64", -(2n ** 63n)],
  ["uint8", 0],
  ["uint8", 255],
  ["bytes", "YQ=="],
  ["bytes", "YQ\n==", "YQ=="],
  ["IntOrString", ""],
  ["IntOrString", "80%"],
  ["IntOrString", 2 ** 31 - 1],
  ["Quantity", "0.5", "500m"],
  ["Quantity", "1Gi"],
  ["Quantity", 1024, "1024"],
  ["Quantity", 5n, "5"],
  ["Quantity", "-", "0"],
  ["Quantity", "+", "0"],
  ["Quantity", "-1", "-1"],
  ["Time", "2030-01-01T00:00:00Z"],
  ["Time", "2030-01-01T00:00:00.999+01:00", "2029-12-31T23:00:00Z"],
  ["MicroTime", "2030-01-01T00:00:00.000001Z"],
  ["MicroTime", "2030-01-01T00:00:00.123456-01:00", "2030-01-01T01:00:00.123456Z"],
];
it.each(decodable.map(([type, value, decoded]) => [type, value, decoded] as const))(
  "reads as %s: %o",
  (type, value, decoded = value) => {
    expect(decodeScalar(value, type)).toBe(decoded);
  },
);

const wrong: readonly (readonly [type: ScalarName, value: unknown, detail?: string])[] = [
  ["string", 1],
  ["Duration", 1],
  ["bool", "true"],
  ["double", "1"],
  ["int32", "1"],
  ["int32", 1.5],
  ["int32", 2 ** 31],
  ["int32", -(2 ** 31) - 1],
  ["int64", 2n ** 63n],
  ["int64", -(2n ** 63n) - 1n],
  ["uint8", 256],
  ["uint8", -1],
  ["IntOrString", true],
  ["IntOrString", 2 ** 31],
  ["bytes", 1],
  ["bytes", "YQ", "illegal base64 data"],
  ["Quantity", true, quantityText],
  ["Quantity", "", quantityText],
  ["Quantity", "1x", quantityText],
  ["Quantity", "1iK", "unable to parse quantity's suffix"],
  ["Time", 1],
  ["Time", "2030-01-01", noTime("2030-01-01", seconds)],
  ["Time", "2030-13-01T00:00:00Z", noTime("2030-13-01T00:00:00Z", seconds)],
  ["Time", "x".repeat(101), noTime("x".repeat(100), seconds)],
  ["MicroTime", "2030-01-01T00:00:00Z", noTime("2030-01-01T00:00:00Z", micros)],
  ["MicroTime", "2030-01-01T00:00:00.12345Z", noTime("2030-01-01T00:00:00.12345Z", micros)],
];
it.each(wrong.map(([type, value, detail]) => [type, value, detail] as const))(
  "refuses as %s: %o",
  (type, value, detail) => {
    expect(() => decodeScalar(value, type)).toThrow(expect.objectContaining({ detail }));
    expect(() => decodeScalar(value, type)).toThrow(ScalarError);
  },
);

describe("a conversion", () => {
  it.each<readonly [type: ScalarName, value: unknown, converted: unknown]>([
    ["int32", 5, 5],
    ["int32", 2 ** 31, -(2 ** 31)],
    ["int32", 2 ** 32 + 1, 1],
    ["int32", -(2 ** 31) - 1, 2 ** 31 - 1],
    ["int32", 2n ** 63n, 0],
    ["int64", 2n ** 63n - 1n, 2n ** 63n - 1n],
    ["int64", 2n ** 63n, -(2n ** 63n)],
    ["int64", -(2n ** 63n), -(2n ** 63n)],
    ["int64", -(2n ** 63n) - 1n, -(2n ** 63n)],
    ["int64", 5n, 5],
    ["int64", -(2 ** 53), BigInt(-(2 ** 53))],
    ["double", 5, 5],
    ["string", "x", "x"],
  ])("keeps the bits that %s has: %o", (type, value, converted) => {
    expect(convertScalar(value, type)).toBe(converted);
  });

  it.each<readonly [type: ScalarName, value: unknown]>([
    ["int32", 1.5],
    ["int32", "1"],
    ["uint8", 256],
    ["IntOrString", 2 ** 31],
  ])("refuses as %s: %o", (type, value) => {
    expect(() => convertScalar(value, type)).toThrow(ScalarError);
  });
});
