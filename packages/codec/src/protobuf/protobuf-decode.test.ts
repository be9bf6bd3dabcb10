import { describe, expect, it } from "vitest";
import { maxDepth } from "../json/depth.ts";
import { maxValues } from "../json/value-count.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import {
  type FieldSchema,
  type ObjectSchema,
  type ScalarName,
  scalar,
  type TypeSchema,
} from "../schema/type-schema.ts";
import { decodeMessage, magic, readEnvelope } from "./protobuf-decode.ts";

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

describe("an envelope", () => {
  it.each<readonly [hex: string, apiVersion: string, kind: string, raw: string]>([
    ["0a 07 0a 02 7631 12 01 6b 12 01 ff", "v1", "k", "ff"],
    ["12 02 0102", "", "", "0102"],
    ["0a 00", "", "", ""],
    ["0a 06 0a 01 61 1a 01 62 1a 01 63", "a", "", ""],
  ])("contains type and object: %s", (hex, apiVersion, kind, raw) => {
    const found = readEnvelope(Buffer.concat([magic, bytes(hex)]));
    expect({ ...found, raw: found.raw.toString("hex") }).toEqual({ apiVersion, kind, raw });
  });

  const prefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
  it.each([
    ["", prefix],
    ["6b3873", prefix],
    ["6b387301", prefix],
    ["6b3873010a00", prefix],
    ["6b387300", "empty body"],
    ["6b3873000a", "unexpected EOF"],
  ])("is refused: %j", (hex, message) => {
    expect(() => readEnvelope(bytes(hex))).toThrow(message);
  });
});

const field = (schema: TypeSchema, more: Partial<FieldSchema> = {}): FieldSchema => ({
  ...{ name: "a", schema, required: false, number: 1, pointer: false, alwaysPrinted: false, patchStrategies: [] },
  ...more,
});
const typeOf = (schema: TypeSchema, more: Partial<FieldSchema> = {}): ObjectSchema => ({
  ...{ type: "object", fields: new Map([["a", field(schema, more)]]) },
});
const listOf = (items: TypeSchema): TypeSchema => ({ type: "list", items, topology: "atomic", keys: [] });
const any: TypeSchema = { type: "any", atomic: true };
const decode = (hex: string, schema: TypeSchema, more?: Partial<FieldSchema>): unknown =>
  decodeMessage(bytes(hex), typeOf(schema, more)).a;

it.each<readonly [type: ScalarName, hex: string, value: unknown]>([
  ["string", "0a 01 61", "a"],
  ["bytes", "0a 01 61", "YQ=="],
  ["bool", "08 01", true],
  ["int32", "08 05", 5],
  ["int64", "08 ffffffffffffffffff01", -1],
  ["int64", "08 ffffffffffffff0f", 2 ** 53 - 1],
  ["int64", "08 8080808080808010", 2n ** 53n],
  ["double", "09 000000000000f83f", 1.5],
  ["Time", "0a 02 0801", "1970-01-01T00:00:01Z"],
  ["Time", "0a 00", undefined],
  ["Time", "0a 02 1001", "1970-01-01T00:00:00Z"],
  ["Time", "0a 0b 08 ffffffffffffffffff01", "1969-12-31T23:59:59Z"],
  ["Time", "0a 07 08 ff82d1ffaf07", "9999-12-31T23:59:59Z"],
  ["MicroTime", "0a 05 0801 10 e807", "1970-01-01T00:00:01.000001Z"],
  ["MicroTime", "0a 02 0801", "1970-01-01T00:00:01.000000Z"],
  ["Quantity", "0a 05 0a 03 302e35", "500m"],
  ["Quantity", "0a 00", undefined],
  ["IntOrString", "0a 04 0800 1005", 5],
  ["IntOrString", "0a 0d 0800 10 ffffffffffffffffff01", -1],
  ["IntOrString", "0a 05 0801 1a0161", "a"],
  ["IntOrString", "0a 02 0801", ""],
  ["Duration", "0a 06 08 80 94 eb dc 03", "1s"],
])("reads as %s: %s", (type, hex, value) => {
  expect(decode(hex, scalar(type))).toEqual(value);
});

it.each<readonly [type: ScalarName, hex: string, message: string]>([
  ["Quantity", "0a 03 0a 01 78", "quantities must match the regular expression"],
  ["Time", "0a 07 08 8083d1ffaf07", "time is out of range"],
  ["double", "08 01", "wrong wireType = 0"],
  ["double", "0a 01 01", "wrong wireType = 2"],
  ["double", "0d 01020304", "wrong wireType = 5"],
  ["Time", "0a 0b 08 80fdae80d0f8ffffff01", "time is out of range"],
])("refuses as %s: %s", (type, hex, message) => {
  expect(() => decode(hex, scalar(type))).toThrow(message);
});

describe("a zero value", () => {
  it.each<readonly [type: ScalarName, hex: string, value: unknown]>([
    ["string", "0a 00", ""],
    ["int32", "08 00", 0],
    ["bool", "08 00", false],
    ["bytes", "0a 00", ""],
    ["IntOrString", "0a 02 0800", 0],
  ])("of type %s is absent unless it is a pointer or always printed", (type, hex, value) => {
    expect(decode(hex, scalar(type))).toBeUndefined();
    expect(decode(hex, scalar(type), { pointer: true })).toBe(value);
    expect(decode(hex, scalar(type), { alwaysPrinted: true })).toBe(value);
  });

  it("is kept where it is not a scalar, or text along with a number", () => {
    expect(decode("0a 00", typeOf(any))).toEqual({});
    expect(decode("0a 04 0801 1a00", scalar("IntOrString"))).toBe("");
  });
});

it.each<readonly [title: string, hex: string, schema: TypeSchema, value: unknown]>([
  ["texts", "0a 01 61 0a 00", listOf(scalar("string")), ["a", ""]],
  ["packed integers", "0a 03 01 ac02", listOf(scalar("int32")), [1, 300]],
  ["integers one by one", "08 01 08 00", listOf(scalar("int64")), [1, 0]],
  ["packed booleans", "0a 02 0100", listOf(scalar("bool")), [true, false]],
  ["messages", "0a 03 0a0161 0a 00", listOf(typeOf(scalar("string"))), [{ a: "a" }, {}]],
  [
    "a message of texts",
    "0a 06 0a0161 0a0162",
    { ...listOf(scalar("string")), isWrapped: true } as TypeSchema,
    ["a", "b"],
  ],
  ["an empty message of texts", "0a 00", { ...listOf(scalar("string")), isWrapped: true } as TypeSchema, []],
  ["JSON", "0a 05 0a 03 5b315d", any, [1]],
  ["JSON behind something else", "0a 07 1001 0a 03 5b315d", any, [1]],
  ["empty JSON", "0a 02 0a 00", any, undefined],
  ["no JSON", "0a 00", any, undefined],
])("reads %s", (_title, hex, schema, value) => {
  expect(decode(hex, schema)).toEqual(value);
});

it("refuses JSON that is not valid", () => {
  expect(() => decode("0a 03 0a 01 7b", any)).toThrow(/^not valid JSON: /);
});

it.each<readonly [values: TypeSchema, hex: string, map: object]>([
  [scalar("string"), "0a 06 0a016b 120161 0a 06 0a016c 120162", { k: "a", l: "b" }],
  [scalar("string"), "0a 03 120161", { "": "a" }],
  [scalar("string"), "0a 03 0a016b", { k: "" }],
  [scalar("Quantity"), "0a 03 0a016b", { k: "0" }],
  [listOf(scalar("string")), "0a 03 0a016b", { k: [] }],
  [typeOf(any), "0a 03 0a016b", { k: {} }],
])("reads maps to %j: %s", (values, hex, map) => {
  expect(decode(hex, { type: "map", values })).toEqual(map);
});

describe("one of several types", () => {
  const object = typeOf(scalar("string"));
  const either = (name: string, other: TypeSchema): TypeSchema =>
    ({ type: "either", name, object, other }) as TypeSchema;
  const orBool = either("JSONSchemaPropsOrBool", scalar("bool"));
  const orList = either("JSONSchemaPropsOrArray", listOf(object));

  it.each<readonly [hex: string, schema: TypeSchema, value: unknown]>([
    ["0a 02 0801", orBool, true],
    ["0a 02 0800", orBool, false],
    ["0a 00", orBool, false],
    ["0a 07 0801 12 03 0a0161", orBool, { a: "a" }],
    ["0a 05 0a 03 0a0161", orList, { a: "a" }],
    ["0a 0a 12 03 0a0161 12 03 0a0162", orList, [{ a: "a" }, { a: "b" }]],
    ["0a 00", orList, []],
  ])("is read: %s", (hex, schema, value) => {
    expect(decode(hex, schema, { pointer: true })).toEqual(value);
  });
});

describe("a message", () => {
  it("may have fields that nobody knows, and fields without a number", () => {
    expect(decodeMessage(bytes("0a 01 61 12 01 62 20 05"), typeOf(scalar("string")))).toEqual({ a: "a" });
    expect(decode("0a 01 61", scalar("string"), { number: 0 })).toBeUndefined();
  });

  it("contains the fields of inlined messages", () => {
    const parent = typeOf(scalar("string"));
    const schema: ObjectSchema = {
      type: "object",
      fields: new Map([
        ["a", field(scalar("string"), { number: 3, inlinedIn: parent })],
        ["b", field(scalar("string"), { name: "b" })],
      ]),
    };
    expect(decodeMessage(bytes("0a 01 62 1a 03 0a0161"), schema)).toEqual({ b: "b", a: "a" });
  });

  it("may nest as deep as objects may", () => {
    const fields = new Map<string, FieldSchema>();
    const recursive: ObjectSchema = { type: "object", fields };
    fields.set("a", field(recursive));
    let message: Buffer = Buffer.alloc(0);
    const wrap = (content: Buffer): Buffer => {
      const length = content.length < 128 ? [content.length] : [(content.length & 0x7f) | 0x80, content.length >> 7];
      return Buffer.concat([Buffer.from([0x0a, ...length]), content]);
    };
    for (let level = 1; level < maxDepth; level++) message = wrap(message);
    expect(decodeMessage(message, recursive)).toHaveProperty("a");
    expect(() => decodeMessage(wrap(message), recursive)).toThrow("exceeded max depth");
  });

  it("may not have more items in a list than an object may have values", () => {
    const zeros = (count: number): Buffer => Buffer.from("0800".repeat(count), "hex");
    expect(decodeMessage(zeros(maxValues), typeOf(listOf(scalar("int32")))).a).toHaveLength(maxValues);
    expect(() => decodeMessage(zeros(maxValues + 1), typeOf(listOf(scalar("int32"))))).toThrow(
      "limit is 100000 values",
    );
  });
});

it("decodes a million empty messages of a type with many fields without examining its fields for each", () => {
  const spec = builtinSchema({ group: "", version: "v1", kind: "Pod" });
  if (!spec) throw new Error("there is no schema for pods");
  const start = process.cpuUsage();
  decodeMessage(Buffer.alloc(2_000_000, Buffer.from([0x12, 0])), spec);
  expect(process.cpuUsage(start).user).toBeLessThan(900_000);
});
