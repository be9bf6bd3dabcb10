import type { StructuralSchema } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { sample } from "../testing/sample-definition.ts";
import { breakingChanges } from "./breaking-changes.ts";

type Schema = StructuralSchema;
const str: Schema = { type: "string" };
const int: Schema = { type: "integer" };
const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});
const list = (items: Schema, more: Schema = {}): Schema => ({ type: "array", items, ...more });
const open: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const [version] = sample.spec.versions;
const withVersions = (...versions: object[]) => ({
  ...sample,
  spec: { ...sample.spec, versions: versions.map((one) => ({ ...version, ...one })) },
});
const ofSpec = (spec: Schema) => withVersions({ schema: { openAPIV3Schema: object({ spec }) } });
const found = (was: Schema, is: Schema): string[] =>
  breakingChanges(ofSpec(was), ofSpec(is)).map(({ path, message }) => `${path}: ${message}`);

describe("breaking changes", () => {
  it.each<[string, Schema, Schema, string]>([
    ["a field removed", object({ a: str }), object({ b: str }), "v1 spec.a: is removed"],
    ["a field retyped", object({ a: str }), object({ a: int }), "v1 spec.a: was string, is integer"],
    ["a number made whole", object({ a: { type: "number" } }), object({ a: int }), "was number, is integer"],
    [
      "anything given a type",
      { "x-kubernetes-preserve-unknown-fields": true },
      str,
      "v1 spec: was anything, is string",
    ],
    ["int-or-string made one", { "x-kubernetes-int-or-string": true }, str, "was int-or-string, is string"],
    ["an item retyped", list(str), list(int), "v1 spec[]: was string, is integer"],
    ["a field required", object({ a: str }), object({ a: str }, { required: ["a"] }), "v1 spec.a: is required now"],
    ["a new field required", object({}), object({ a: str }, { required: ["a"] }), "v1 spec.a: is required now"],
    [
      "a required field's default gone",
      object({ a: { ...str, default: "x" } }, { required: ["a"] }),
      object({ a: str }, { required: ["a"] }),
      "v1 spec.a: is required and no longer has a default",
    ],
    ["an enum narrowed", { ...str, enum: ["a", "b"] }, { ...str, enum: ["a"] }, 'v1 spec: enum no longer contains "b"'],
    ["an enum added", str, { ...str, enum: ["a"] }, "v1 spec: enum is new"],
    ["a minimum raised", { ...int, minimum: 1 }, { ...int, minimum: 2 }, "v1 spec: minimum was 1, is 2"],
    ["a minimum added", int, { ...int, minimum: 0 }, "v1 spec: minimum 0 is new"],
    ["a maximum lowered", { ...int, maximum: 9 }, { ...int, maximum: 8 }, "v1 spec: maximum was 9, is 8"],
    [
      "a bound excluded",
      { ...int, maximum: 9 },
      { ...int, maximum: 9, exclusiveMaximum: true },
      "v1 spec: maximum 9 is excluded now",
    ],
    ["a multiple added", int, { ...int, multipleOf: 2 }, "v1 spec: multipleOf 2 is new"],
    ["a length bounded", str, { ...str, maxLength: 3 }, "v1 spec: maxLength 3 is new"],
    ["a length raised", { ...str, minLength: 1 }, { ...str, minLength: 2 }, "v1 spec: minLength was 1, is 2"],
    ["items bounded", list(str, { maxItems: 9 }), list(str, { maxItems: 8 }), "v1 spec: maxItems was 9, is 8"],
    ["no items forbidden", list(str), list(str, { minItems: 1 }), "v1 spec: minItems 1 is new"],
    ["properties bounded", object({}), object({}, { maxProperties: 0 }), "v1 spec: maxProperties 0 is new"],
    ["a pattern added", str, { ...str, pattern: "^a" }, 'v1 spec: pattern "^a" is new'],
    ["a pattern changed", { ...str, pattern: "^b" }, { ...str, pattern: "^a" }, 'pattern was "^b", is "^a"'],
    ["a format added", str, { ...str, format: "uri" }, 'v1 spec: format "uri" is new'],
    ["unknown fields dropped", open, object({ a: str }), "v1 spec: no longer preserves unknown fields"],
    [
      "additional properties dropped",
      { type: "object", additionalProperties: str },
      object({ a: str }),
      "v1 spec: no longer allows additional properties",
    ],
    [
      "additional properties given a schema",
      { type: "object", additionalProperties: true },
      { type: "object", additionalProperties: str },
      "additional properties could have any value",
    ],
    [
      "additional properties narrowed",
      { type: "object", additionalProperties: str },
      { type: "object", additionalProperties: { ...str, maxLength: 1 } },
      "v1 spec.*: maxLength 1 is new",
    ],
    ["null forbidden", { ...str, nullable: true }, str, "v1 spec: is no longer nullable"],
    [
      "a list's type changed",
      list(str),
      list(str, { "x-kubernetes-list-type": "set" }),
      "x-kubernetes-list-type was atomic, is set",
    ],
    [
      "a list's keys changed",
      list(open, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] }),
      list(open, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] }),
      "keys of the list were a, are a, b",
    ],
    [
      "a map's type changed",
      object({}),
      object({}, { "x-kubernetes-map-type": "atomic" }),
      "x-kubernetes-map-type was granular, is atomic",
    ],
    ["a rule added", str, { ...str, "x-kubernetes-validations": [{ rule: "self != ''" }] }, `rule "self != ''" is new`],
    [
      "an alternative removed",
      { ...str, anyOf: [{}, { minLength: 2 }] },
      { ...str, anyOf: [{ minLength: 2 }] },
      "anyOf has changed",
    ],
    ["a constraint added", str, { ...str, not: { pattern: "x" } }, "v1 spec: not has changed"],
    ["an embedded resource", open, { ...open, "x-kubernetes-embedded-resource": true }, "is an embedded resource now"],
    [
      "a field deep within",
      object({ a: list(object({ b: { type: "object", additionalProperties: object({ c: str }) } })) }),
      object({ a: list(object({ b: { type: "object", additionalProperties: object({ c: int }) } })) }),
      "v1 spec.a[].b.*.c: was string, is integer",
    ],
  ])("%s", (_what, was, is, message) => {
    const messages = found(was, is);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(message);
  });

  it("include identity and versions of the definition", () => {
    const beta = { name: "v1beta1", storage: false };
    const both = withVersions(beta, {});
    const messages = (was: unknown, is: unknown) =>
      breakingChanges(was, is).map(({ path, message }) => `${path}: ${message}`);
    expect(messages(sample, { ...sample, spec: { ...sample.spec, scope: "Cluster" } })).toEqual([
      expect.stringContaining("spec.scope: was Namespaced, is Cluster"),
    ]);
    const renamed = { ...sample, spec: { ...sample.spec, names: { ...sample.spec.names, plural: "stores" } } };
    expect(messages(sample, renamed)).toEqual([expect.stringContaining("spec.names.plural: was shops, is stores")]);
    expect(messages(both, sample)).toEqual([expect.stringContaining("v1beta1: is removed without prior deprecation")]);
    const stored = { ...both, status: { storedVersions: ["v1beta1", "v1"] } };
    expect(messages(stored, sample)).toEqual([
      expect.stringContaining("v1beta1: is removed, but objects are stored in this version"),
    ]);
    expect(messages(both, withVersions(beta))).toEqual([
      expect.stringContaining("v1: is removed, but objects are stored"),
    ]);
    expect(messages(both, withVersions({ ...beta, served: false }, {}))).toEqual([
      expect.stringContaining("v1beta1: is no longer served"),
    ]);
    expect(messages(sample, withVersions({ subresources: {} }))).toEqual([
      expect.stringContaining("no longer has a status subresource"),
    ]);
    expect(messages(withVersions({ ...beta, deprecated: true }, {}), sample)).toEqual([]);
    const migrated = { ...both, status: { storedVersions: ["v1"] } };
    expect(messages(migrated, withVersions({ ...beta, name: "v1" }))).toEqual([
      expect.stringContaining("v1beta1: is removed without"),
    ]);
  });
});

describe("compatible changes", () => {
  it.each<[string, Schema, Schema]>([
    ["nothing", object({ a: str }, { required: ["a"] }), object({ a: str }, { required: ["a"] })],
    ["a new field", object({}), object({ a: str })],
    ["a new required field with a default", object({}), object({ a: { ...str, default: "x" } }, { required: ["a"] })],
    ["a field no longer required", object({ a: str }, { required: ["a"] }), object({ a: str })],
    ["integers made numbers", int, { type: "number" }],
    ["a string made int-or-string", str, { "x-kubernetes-int-or-string": true }],
    ["an integer made int-or-string", int, { "x-kubernetes-int-or-string": true }],
    ["an enum widened", { ...str, enum: ["a"] }, { ...str, enum: ["b", "a"] }],
    ["an enum removed", { ...str, enum: ["a"] }, str],
    ["bounds widened", { ...int, minimum: 2, maximum: 3 }, { ...int, minimum: 1, maximum: 4 }],
    ["bounds removed", { ...str, maxLength: 2, pattern: "a", format: "uri" }, str],
    ["a multiple of a divisor", { ...int, multipleOf: 4 }, { ...int, multipleOf: 2 }],
    ["a length of at least none", str, { ...str, minLength: 0 }],
    ["null allowed", str, { ...str, nullable: true }],
    ["unknown fields preserved", object({ a: str }), open],
    ["properties made a map", object({ a: str }), { type: "object", additionalProperties: str }],
    ["what a list's type is anyway", list(str), list(str, { "x-kubernetes-list-type": "atomic" })],
    ["a rule removed", { ...str, "x-kubernetes-validations": [{ rule: "true" }] }, str],
    [
      "an alternative added",
      { ...str, anyOf: [{ minLength: 2 }] },
      { ...str, anyOf: [{ minLength: 2 }, { pattern: "a" }] },
    ],
    ["a description", str, { ...str, description: "new" }],
  ])("%s", (_what, was, is) => {
    expect(found(was, is)).toEqual([]);
  });

  it("allows schemas that no longer list the fields that every object has", () => {
    const listed = object({ apiVersion: str, kind: str, metadata: { type: "object" } });
    const spec = { "x-kubernetes-embedded-resource": true, ...listed };
    const next = { ...spec, properties: {} };
    const of = (schema: Schema) => withVersions({ schema: { openAPIV3Schema: schema } });
    expect(
      breakingChanges(of({ ...listed, properties: { ...listed.properties, spec } }), of(object({ spec: next }))),
    ).toEqual([]);
    const named = object({ metadata: object({ name: str }) });
    expect(breakingChanges(of(named), of(object({ metadata: { type: "object" } })))).toEqual([]);
    expect(found(named, object({ metadata: { type: "object" } }))).toHaveLength(1);
    expect(found(listed, object({}))).toHaveLength(3);
  });
});
