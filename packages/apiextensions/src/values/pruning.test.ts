import { pruneCustom } from "@kubewright/codec";
import { expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { resourceSchemaOf } from "../schema/type-schema-of.ts";
import { applySchemaDefaults } from "./defaulting.ts";

const inner: JsonSchema = {
  type: "object",
  properties: {
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { a: { type: "object", properties: { z: { type: "string" } } } },
    },
    emb: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object", properties: { q: { type: "string" } } } },
    },
    m: { type: "object", additionalProperties: { type: "object", properties: { k: { type: "string" } } } },
    nd: { type: "string", default: "dd" },
    nn: { type: "string", nullable: true, default: "dd" },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    anys: { type: "object", additionalProperties: { "x-kubernetes-preserve-unknown-fields": true } },
    all: { type: "object", additionalProperties: true },
    md: { type: "object", additionalProperties: { type: "string", default: "dd" } },
    od: {
      type: "object",
      default: { q: 1 },
      properties: { q: { type: "integer" }, r: { type: "integer", default: 7 } },
    },
  },
};
const schema: JsonSchema = { type: "object", properties: { spec: inner } };
const prune = (spec: unknown, rest: object = {}) =>
  pruneCustom(
    { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec, ...rest },
    resourceSchemaOf(schema, "Widget"),
  );

it("removes unknown fields and reports their paths, metadata of embedded resources last", () => {
  const { value, problems } = prune(
    {
      x: 1,
      free: { y: 1, a: { b: 1 } },
      emb: { apiVersion: "v1", kind: "X", foo: 1, metadata: { name: "q", bar: 1 }, spec: { q: "a", z: 1 } },
      m: { a: { k: "x", l: 1 } },
    },
    { top: 1 },
  );
  expect(value.spec).toEqual({
    free: { y: 1, a: {} },
    emb: { apiVersion: "v1", kind: "X", metadata: { name: "q" }, spec: { q: "a" } },
    m: { a: { k: "x" } },
  });
  expect(problems).toEqual([
    'unknown field "spec.emb.foo"',
    'unknown field "spec.emb.spec.z"',
    'unknown field "spec.free.a.b"',
    'unknown field "spec.m.a.l"',
    'unknown field "spec.x"',
    'unknown field "top"',
    'unknown field "spec.emb.metadata.bar"',
  ]);
});

it("drops nulls before defaults, keeps nullable ones, and fills in nested defaults", () => {
  const { value } = prune({ nd: null, nn: null, od: {}, free: { b: null } });
  applySchemaDefaults(value, schema);
  expect(value.spec).toEqual({ nd: "dd", nn: null, od: { r: 7 }, free: { b: null } });
  const empty = prune({}).value;
  applySchemaDefaults(empty, schema);
  expect(empty.spec).toEqual({ nd: "dd", nn: "dd", od: { q: 1, r: 7 } });
});

it("drops nulls of values with a schema, and leaves those in maps to defaults", () => {
  const { value } = prune({ any: null, anys: { a: null, b: 1 }, all: { a: null }, md: { a: null } });
  expect(value.spec).toEqual({ anys: { b: 1 }, all: { a: null }, md: { a: null } });
  applySchemaDefaults(value, schema);
  expect(value.spec).toMatchObject({ md: { a: "dd" } });
});

it("keeps nulls if configured", () => {
  const spec = { nd: null, any: null, anys: { a: null } };
  expect(pruneCustom({ metadata: {}, spec }, resourceSchemaOf(schema, "Widget"), [], true).value.spec).toEqual(spec);
});

it("reads metadata with its own schema", () => {
  expect(() => prune({}, { metadata: { labels: { a: 1 } } })).toThrow("labels.a: expected string, got number");
  expect(() => prune({ emb: { apiVersion: "v1", kind: "X", metadata: { name: 1 } } })).toThrow(
    'spec.emb.metadata: Invalid value: {"name":1}: name: expected string, got number',
  );
});
