import { describe, expect, it } from "vitest";
import { applySchemaDefaults } from "./apply-defaults.ts";
import { matchesFormat } from "./formats.ts";
import { pruneToSchema } from "./prune.ts";
import type { StructuralSchema } from "./structural-schema.ts";

describe("pruning", () => {
  it("removes unknown fields, unless the schema keeps them", () => {
    const schema: StructuralSchema = {
      type: "object",
      properties: {
        a: { type: "string" },
        bag: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { inner: { type: "object", properties: {} } },
        },
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        map: { type: "object", additionalProperties: { type: "object", properties: {} } },
        emb: { type: "object", "x-kubernetes-embedded-resource": true },
      },
    };
    const value = {
      a: "x",
      b: 1,
      bag: { any: { n: null }, inner: { gone: 1 } },
      list: [{ x: 1, y: 2 }],
      map: { k: { z: 1 } },
      emb: { kind: "A", metadata: { name: "x" }, spec: {} },
    };
    expect(pruneToSchema(value, schema)).toEqual({
      a: "x",
      bag: { any: { n: null }, inner: {} },
      list: [{ x: 1 }],
      map: { k: {} },
      emb: { kind: "A", metadata: { name: "x" } },
    });
  });

  it("removes nulls that are not allowed", () => {
    const schema: StructuralSchema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string", nullable: true } },
    };
    expect(pruneToSchema({ a: null, b: null }, schema)).toEqual({ b: null });
  });
});

describe("defaulting", () => {
  const schema: StructuralSchema = {
    type: "object",
    properties: {
      o: {
        type: "object",
        default: { q: 1 },
        properties: { q: { type: "integer" }, r: { type: "integer", default: 7 } },
      },
      n: { type: "string", nullable: true, default: "d" },
      p: { type: "object", properties: { x: { type: "integer", default: 1 } } },
      l: { type: "array", items: { type: "object", properties: { y: { type: "integer", default: 2 } } } },
      m: {
        type: "object",
        additionalProperties: { type: "object", properties: { z: { type: "integer", default: 3 } } },
      },
    },
  };
  const defaulted = (value: Record<string, unknown>): Record<string, unknown> => {
    applySchemaDefaults(value, schema);
    return value;
  };

  it("works from the outside in, also within defaults", () => {
    expect(defaulted({})).toEqual({ o: { q: 1, r: 7 }, n: "d" });
    expect(defaulted({ o: {}, n: null })).toEqual({ o: { r: 7 }, n: null });
  });

  it("fills in defaults within lists and maps, and creates no parents", () => {
    expect(defaulted({ l: [{}], m: { k: {} } })).toEqual({
      o: { q: 1, r: 7 },
      n: "d",
      l: [{ y: 2 }],
      m: { k: { z: 3 } },
    });
  });
});

it.each([
  ["date-time", "2024-02-03T04:05:06.7Z", "2024-02-03"],
  ["date", "2024-02-03", "2024-2-3"],
  ["duration", "1h30m", "soon"],
  ["email", "a@b.example", "a"],
  ["hostname", "a-b.example", "a_b"],
  ["ipv4", "10.0.0.1", "10.0.0.256"],
  ["ipv6", "fe80::1", "fe80::zz"],
  ["cidr", "10.0.0.0/8", "10.0.0.0/33"],
  ["uri", "https://a.example/b", "nothing"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123"],
  ["byte", "YQ==", "YQ="],
  ["mac", "00:11:22:33:44:55", "00:11"],
])("the format %s accepts %s and not %s", (format, good, bad) => {
  expect(matchesFormat(format, good)).toBe(true);
  expect(matchesFormat(format, bad)).toBe(false);
  expect(matchesFormat("int32", bad)).toBe(true);
});
