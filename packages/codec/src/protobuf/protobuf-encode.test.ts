import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { type FieldSchema, type ObjectSchema, scalar, type TypeSchema } from "../schema/type-schema.ts";
import { decodeDocument, encodeDocument, inEnvelope, watchFrame } from "./protobuf-document.ts";
import { encodeMessage } from "./protobuf-encode.ts";

interface Recorded {
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly protobuf: string;
}

/** kube-apiserver's responses to the same request in both formats, one per line. The last one is a watch event. */
const answers = readFileSync(new URL("./testing/protobuf-responses.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);
const recorded = answers.slice(0, -1);

describe("answers of kube-apiserver", () => {
  it.each(recorded)("encodes $name byte for byte", ({ json, protobuf }) => {
    expect(encodeDocument(json).toString("latin1")).toBe(Buffer.from(protobuf, "base64").toString("latin1"));
  });

  it.each(recorded)("decodes $name", ({ json, protobuf }) => {
    const back = decodeDocument(Buffer.from(protobuf, "base64"));
    expect(withoutEmpty(typed(back))).toEqual(withoutEmpty(typed(json)));
  });

  it("encodes an event of a watch byte for byte", () => {
    const { json: event, protobuf } = answers.at(-1) ?? {};
    expect(watchFrame(String(event?.type), encodeDocument(event?.object)).toString("base64")).toBe(protobuf);
  });
});

/** In protobuf, items have no type of their own. */
const typed = ({ items, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  rest.kind === "PartialObjectMetadataList"
    ? { ...rest, items: (items as readonly object[]).map((item) => ({ ...item, kind: "", apiVersion: "" })) }
    : { ...rest, items };

/** Go prints some empty lists and maps as null; protobuf has neither. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(
    ([, member]) => member !== null && !(Array.isArray(member) && member.length === 0),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}

const messageOf = (kind: string, value: object): string => {
  const schema = builtinSchema({ group: "", version: "v1", kind });
  if (!schema) throw new Error(kind);
  return encodeMessage(value, schema).toString("hex");
};

it("writes fields that are not pointers in Go even if empty", () => {
  expect(messageOf("ConfigMap", {})).toBe("0a100a0012001a0022002a00320038004200");
  expect(messageOf("ConfigMap", { immutable: false }).slice(-4)).toBe("2000");
});

it("sorts keys by bytes, like Go", () => {
  const written = Buffer.from(messageOf("ConfigMap", { data: { "\u{1f600}": "", "～": "", a: "" } }), "hex").toString();
  expect(written.indexOf("a")).toBeLessThan(written.indexOf("～"));
  expect(written.indexOf("～")).toBeLessThan(written.indexOf("\u{1f600}"));
});

it("writes messages of any size", () => {
  const data = { large: "ü".repeat(300_000), small: "x" };
  const schema = builtinSchema({ group: "", version: "v1", kind: "ConfigMap" });
  if (!schema) throw new Error("ConfigMap");
  const document = inEnvelope("v1", "ConfigMap", encodeMessage({ data }, schema));
  expect(decodeDocument(document)).toMatchObject({ data });
});

it("writes 64-bit integers", () => {
  const generations = [-1, 2 ** 53 - 1, -(2n ** 63n), 2n ** 63n - 1n, 0];
  for (const generation of generations) {
    const document = encodeDocument({ apiVersion: "v1", kind: "ConfigMap", metadata: { generation } });
    expect(decodeDocument(document)).toMatchObject({ metadata: generation === 0 ? {} : { generation } });
  }
});

it("rejects values without a protobuf form", () => {
  expect(() => encodeDocument({ apiVersion: "example.com/v1", kind: "Site" })).toThrow(
    "Site of example.com/v1 has no protobuf encoding",
  );
});

describe("one field", () => {
  const typeOf = (schema: TypeSchema, more: Partial<FieldSchema> = {}): ObjectSchema => {
    const field = {
      name: "a",
      schema,
      required: false,
      number: 1,
      pointer: true,
      alwaysPrinted: false,
      patchStrategies: [],
    };
    return { type: "object", fields: new Map([["a", { ...field, ...more }]]) };
  };
  const listOf = (items: TypeSchema): TypeSchema => ({ type: "list", items, topology: "atomic", keys: [] });
  const mapOf = (values: TypeSchema): TypeSchema => ({ type: "map", values });
  const wrapped = { ...listOf(scalar("string")), isWrapped: true } as TypeSchema;
  const any = (name: string): TypeSchema => ({ type: "any", atomic: true, name });
  const inner = typeOf(scalar("string"));
  const either = (name: string, other: TypeSchema): TypeSchema =>
    ({ type: "either", name, object: inner, other }) as TypeSchema;
  const write = (a: unknown, schema: TypeSchema, more?: Partial<FieldSchema>): string =>
    encodeMessage({ a }, typeOf(schema, more)).toString("hex");

  it.each<readonly [value: unknown, schema: TypeSchema, hex: string]>([
    ["x", scalar("string"), "0a0178"],
    [undefined, scalar("string"), ""],
    [null, scalar("string"), ""],
    ["", scalar("string"), "0a00"],
    [5, scalar("int32"), "0805"],
    [1.5, scalar("double"), "09000000000000f83f"],
    [{ a: "x" }, inner, "0a030a0178"],
    [5, inner, "0a00"],
    [["x", ""], listOf(scalar("string")), "0a01780a00"],
    [5, listOf(scalar("string")), ""],
    [[{ a: "x" }, {}], listOf(inner), "0a030a01780a00"],
    [["x", "y"], wrapped, "0a060a01780a0179"],
    [[], wrapped, "0a00"],
    [{ k: "x", j: "" }, mapOf(scalar("string")), "0a050a016a12000a060a016b120178"],
    [5, mapOf(scalar("string")), ""],
    [{ k: null }, mapOf(scalar("bytes")), "0a030a016b"],
    [{ k: "" }, mapOf(scalar("bytes")), "0a050a016b1200"],
    [{ k: null }, mapOf(scalar("string")), "0a050a016b1200"],
    [{ b: 1, a: "<" }, any("RawExtension"), `0a110a0f${Buffer.from('{"b":1,"a":"<"}').toString("hex")}`],
    [
      [{ b: 1, a: "<&" }],
      any("JSON"),
      `0a1e0a1c${Buffer.from(String.raw`[{"a":"\u003c\u0026","b":1}]`).toString("hex")}`,
    ],
    [{ a: "x" }, either("JSONSchemaPropsOrBool", scalar("bool")), "0a0708011203" + "0a0178"],
    [true, either("JSONSchemaPropsOrBool", scalar("bool")), "0a020801"],
    [false, either("JSONSchemaPropsOrBool", scalar("bool")), "0a020800"],
    [{ a: "x" }, either("JSONSchemaPropsOrArray", listOf(inner)), "0a050a030a0178"],
    [[{ a: "x" }], either("JSONSchemaPropsOrArray", listOf(inner)), "0a0512030a0178"],
  ])("is written: %j by %j", (value, schema, hex) => {
    expect(write(value, schema)).toBe(hex);
  });

  it("is written even where there is nothing if it is not a pointer", () => {
    expect(write(undefined, scalar("string"), { pointer: false })).toBe("0a00");
    expect(write(undefined, any("JSON"), { pointer: false })).toBe("0a00");
    expect(write(undefined, inner, { pointer: false })).toBe("0a00");
    expect(write(undefined, either("JSONSchemaPropsOrArray", listOf(inner)), { pointer: false })).toBe("0a00");
    expect(write(undefined, scalar("bytes"), { pointer: false })).toBe("");
    expect(write(undefined, wrapped, { pointer: false })).toBe("");
  });

  it("is not written without a number, and once for each number", () => {
    expect(write("x", scalar("string"), { number: 0 })).toBe("");
    const parent = typeOf(scalar("string"));
    const fields = ["a", "b"].map((name) => {
      const field = { schema: scalar("string"), required: false, number: 3, pointer: true, alwaysPrinted: false };
      return [name, { ...field, name, patchStrategies: [], inlinedIn: parent }] as const;
    });
    expect(encodeMessage({ a: "x", b: "y" }, { type: "object", fields: new Map(fields) }).toString("hex")).toBe(
      "1a030a0178",
    );
  });

  it("is of a type that has a form", () => {
    expect(() => write({}, either("Other", scalar("bool")))).toThrow("no known message for Other");
    expect(() => write([{}], listOf(mapOf(inner)))).toThrow("no message for a map");
  });

  it("is absent if the value is not an object", () => {
    expect(encodeMessage(5, typeOf(scalar("string"))).toString("hex")).toBe("");
  });
});
