import { expect, it } from "vitest";
import type { ScalarName } from "../schema/type-schema.ts";
import { scalarEncodings } from "./protobuf-scalars.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

const written = (type: ScalarName, value: unknown): string => {
  const out = new ProtobufWriter();
  scalarEncodings[type].write(out, value);
  return out.finish().toString("hex");
};

it.each<readonly [type: ScalarName, value: unknown, hex: string]>([
  ["string", "ab", "026162"],
  ["string", "", "00"],
  ["string", undefined, "00"],
  ["string", 5, "00"],
  ["int32", 5, "05"],
  ["int64", -1n, "ffffffffffffffffff01"],
  ["uint8", undefined, "00"],
  ["int32", "5", "00"],
  ["bool", true, "01"],
  ["bool", false, "00"],
  ["bool", 1, "00"],
  ["double", 1.5, "000000000000f83f"],
  ["double", undefined, "0000000000000000"],
  ["bytes", "YQ==", "0161"],
  ["bytes", undefined, "00"],
  ["Time", "1970-01-01T00:00:01Z", "04" + "0801" + "1000"],
  ["Time", "1969-12-31T23:59:59.5Z", "11" + "08ffffffffffffffffff01" + "1080cab5ee01"],
  ["Time", undefined, "00"],
  ["Time", "x", "00"],
  ["MicroTime", "1970-01-01T00:00:01.000001Z", "05" + "0801" + "10e807"],
  ["MicroTime", "1970-01-01T00:00:01.0000019Z", "05" + "0801" + "10e807"],
  ["MicroTime", "1970-01-01T00:00:01.1Z", "07" + "0801" + "1080c2d72f"],
  ["Duration", "1s", "06" + "088094ebdc03"],
  ["Duration", undefined, "02" + "0800"],
  ["Duration", "x", "02" + "0800"],
  ["Quantity", "500m", "06" + "0a04" + "3530306d"],
  ["Quantity", undefined, "03" + "0a0130"],
  ["IntOrString", 5, "06" + "0800" + "1005" + "1a00"],
  ["IntOrString", "a", "07" + "0801" + "1000" + "1a0161"],
  ["IntOrString", undefined, "06" + "0800" + "1000" + "1a00"],
])("writes %s: %o", (type, value, hex) => {
  expect(written(type, value)).toBe(hex);
});

it("has a wire type for each", () => {
  const types = Object.entries(scalarEncodings).map(([name, { wireType }]) => [name, wireType]);
  expect(Object.fromEntries(types)).toEqual({
    ...{ int32: 0, int64: 0, uint8: 0, bool: 0, double: 1, string: 2, bytes: 2, Time: 2, MicroTime: 2, Duration: 2 },
    ...{ Quantity: 2, IntOrString: 2 },
  });
});
