import fc from "fast-check";
import { expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { builtinCatalogue } from "../schema/catalogue.ts";
import type { FieldSchema, ScalarName, TypeSchema } from "../schema/type-schema.ts";
import { decodeMessage } from "./protobuf-decode.ts";
import { encodeMessage } from "./protobuf-encode.ts";

/** Returns numbers from 0 up to a limit, reproducible by seed. Values of types are too large to record each choice. */
type Draw = (limit: number) => number;

function drawing(seed: number): Draw {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

const characters = ["a", "Z", "0", "-", ".", "/", " ", '"', "\\", "\u0000", "\n", "\u00e9", "\u4e2d", "\u{1f600}"];
const text = (draw: Draw): string =>
  Array.from({ length: 1 + draw(20) }, () => characters[draw(characters.length)]).join("");
const secondsIn = (draw: Draw): string =>
  new Date((draw(6_000_000_000) - 2_000_000_000) * 1_000).toISOString().slice(0, 19);
const oneOf =
  (...values: readonly unknown[]) =>
  (draw: Draw): unknown =>
    values[draw(values.length)];

const scalars: Readonly<Record<ScalarName, (draw: Draw) => unknown>> = {
  string: text,
  int32: oneOf(1, -1, 127, 128, 2 ** 31 - 1, -(2 ** 31)),
  int64: oneOf(1, -1, 2 ** 53 - 1, -(2 ** 53) + 1, 2n ** 63n - 1n, -(2n ** 63n)),
  uint8: oneOf(1, 127, 128, 255),
  bool: oneOf(true),
  double: oneOf(0.5, -1.25, 5e-324, 1.7976931348623157e308),
  bytes: (draw) => Buffer.from(Array.from({ length: 1 + draw(9) }, () => draw(256))).toString("base64"),
  Time: (draw) => `${secondsIn(draw)}Z`,
  MicroTime: (draw) => `${secondsIn(draw)}.${String(draw(1_000_000)).padStart(6, "0")}Z`,
  Duration: oneOf("1.5s"),
  Quantity: oneOf("0", "100m", "1Gi", "12e6"),
  IntOrString: oneOf(1, -7, "50%", "http"),
};

/** Returns a value of this type as Go would print it. */
function valueOfType(schema: TypeSchema, draw: Draw, depth: number): unknown {
  switch (schema.type) {
    case "scalar":
      return scalars[schema.scalar](draw);
    case "any":
      return oneOf(1, "x", true, [], { a: { b: [1, null, "\u00e9"] } })(draw);
    case "list":
      return Array.from({ length: 1 + draw(2) }, () => valueOfType(schema.items, draw, depth));
    case "map": {
      const keys = Array.from({ length: 1 + draw(2) }, () => text(draw));
      return Object.fromEntries(keys.map((key) => [key, valueOfType(schema.values, draw, depth)]));
    }
    case "either":
      return valueOfType(draw(2) === 0 ? schema.object : schema.other, draw, depth);
    case "object": {
      const members = [...schema.fields.values()]
        .filter((field) => field.number > 0)
        .flatMap((field) =>
          isThere(field, draw, depth) ? [[field.name, valueOfType(field.schema, draw, depth + 1)]] : [],
        );
      return Object.fromEntries(members);
    }
  }
}

/** Non-pointers are always encoded, and structs and quantities are always printed. */
function isThere({ schema, pointer, alwaysPrinted }: FieldSchema, draw: Draw, depth: number): boolean {
  const isStruct = schema.type === "object" || (schema.type === "scalar" && schema.scalar === "Quantity");
  if (!pointer && (isStruct || (alwaysPrinted && schema.type === "scalar"))) return true;
  return draw(3 + depth * depth) === 0;
}

const kinds = [...new Map(builtinCatalogue.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind]))];

it.each(kinds)("%s survives a round trip through protobuf", (_name, kind) => {
  const schema = builtinSchema(kind);
  if (!schema) throw new Error("no schema");
  const roundTrip = fc.property(fc.integer(), (seed) => {
    const value = valueOfType(schema, drawing(seed), 0);
    expect(decodeMessage(encodeMessage(value, schema), schema)).toEqual(value);
  });
  fc.assert(roundTrip, { numRuns: 20 });
});
