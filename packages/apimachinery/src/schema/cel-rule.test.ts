import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { defineKind } from "../definition/define-kind.ts";
import type { KindRules } from "../definition/kind-definition.ts";
import { cel, withRules } from "./cel-rule.ts";
import { toStructuralSchema } from "./normalise.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const range = Type.Object({ min: Type.Integer(), max: Type.Integer() });
const ordered = cel("self.min <= self.max", "min must not exceed max");
const define = (rules: KindRules, more: object = {}) =>
  defineKind({
    group: "shop.example.com",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    spec: range,
    status: Type.Object({ labels: Type.Record(Type.String(), Type.String()) }),
    rules,
    ...more,
  });
const schemaOf = ({ crd }: ReturnType<typeof define>): StructuralSchema =>
  crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};

const validations = "x-kubernetes-validations";

describe("rules of a kind", () => {
  it("are added to the schemas of their values", () => {
    const once = cel("self == oldSelf", { reason: "FieldValueForbidden", fieldPath: ".min", message: undefined });
    const schema = schemaOf(
      define({
        "": [cel("self.metadata.name.size() < 9", { messageExpression: "'long: ' + self.metadata.name" })],
        spec: [ordered, once],
        status: [cel("true", { fieldPath: ".labels['a.b']", optionalOldSelf: true })],
      }),
    );
    expect(schema[validations]).toEqual([
      { rule: "self.metadata.name.size() < 9", messageExpression: "'long: ' + self.metadata.name" },
    ]);
    expect(schema.properties?.spec?.[validations]).toEqual([
      { rule: "self.min <= self.max", message: "min must not exceed max" },
      { rule: "self == oldSelf", reason: "FieldValueForbidden", fieldPath: ".min" },
    ]);
    expect(schema.properties?.status?.[validations]).toEqual([
      { rule: "true", fieldPath: ".labels['a.b']", optionalOldSelf: true },
    ]);
    expect(schemaOf(define({}))).not.toHaveProperty(validations);
  });

  it("are not run by parse", () => {
    expect(define({ spec: [ordered] }).parse({ metadata: { name: "a" }, spec: { min: 2, max: 1 } }).spec).toEqual({
      min: 2,
      max: 1,
    });
  });

  it.each<[object, string]>([
    [{ spec: [cel(" ")] }, "rules.spec[0].rule: Required value: an expression such as self.min <= self.max"],
    [
      { spec: [ordered, cel("true", " ")] },
      'rules.spec[1].message: Invalid value: " ": must not be empty if it is set',
    ],
    [{ "": [cel("true", "a\nb")] }, 'rules[""][0].message: Invalid value: "a\\nb": must not contain line breaks'],
    [
      { spec: [cel("self.min <\n self.max")] },
      "rules.spec[0].message: Required value: must be set if the rule contains",
    ],
    [{ spec: [cel("true", { messageExpression: "" })] }, "rules.spec[0].messageExpression: Required value"],
    [
      { spec: [{ rule: "true", reason: "Bad" }] },
      'rules.spec[0].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate"',
    ],
    [
      { spec: [cel("true", { fieldPath: ".mix" })] },
      'rules.spec[0].fieldPath: Invalid value: ".mix": must be a field path relative to the rule, such as .max',
    ],
    [{ spec: [cel("true", { fieldPath: "min" })] }, 'rules.spec[0].fieldPath: Invalid value: "min"'],
    [
      { spec: [{ rule: "true", optionalOldSelf: "yes" }] },
      'rules.spec[0].optionalOldSelf: Invalid value: "yes": must be',
    ],
    [
      { spec: [{ rule: "true", msg: "x" }] },
      'rules.spec[0]: Invalid value: "msg": unknown member of a rule; supported members: rule,',
    ],
    [{ metadata: [ordered] }, 'rules: Unsupported value: "metadata": supported values: "", "spec", "status"'],
  ])("are rejected if the API server would reject them: %j", (rules, text) => {
    expect(() => define(rules as KindRules)).toThrow(`defineKind Site: ${text}`);
  });

  it("are rejected if the kind does not have the field", () => {
    expect(() => define({ status: [ordered] }, { status: undefined })).toThrow(
      'rules: Invalid value: "status": the kind has no status; add a schema for it or remove its rules',
    );
  });
});

describe("rules of a schema", () => {
  it("are added to a copy of it", () => {
    const schema = Type.Object({
      range: withRules(withRules(Type.Optional(range), [ordered]), [cel("true")]),
      maybe: withRules(Type.Union([range, Type.Null()]), [ordered]),
      both: Type.Intersect([withRules(range, [ordered]), withRules(Type.Object({}), [cel("true")])]),
    });
    const { required, properties = {} } = toStructuralSchema(schema);
    expect(required).toEqual(["maybe", "both"]);
    expect(properties.range?.[validations]).toEqual([ordered, cel("true")]);
    expect(properties.maybe?.[validations]).toEqual([ordered]);
    expect(properties.both?.[validations]).toEqual([ordered, cel("true")]);
    expect(range).not.toHaveProperty(validations);
  });

  it("are rejected in a branch of a union, where the API server does not support them", () => {
    const branch = withRules(Type.Object({ a: Type.String() }), [cel("true")]);
    expect(() => toStructuralSchema(Type.Union([branch, range]), "spec.x")).toThrow(
      "spec.x: one branch of a union cannot have rules; set them on the whole union",
    );
  });

  it("are rejected with their path if their form is invalid", () => {
    const spec = Type.Object({ range: withRules(range, [cel("")]) });
    expect(() => define({}, { spec })).toThrow(
      "defineKind Site: spec.range.x-kubernetes-validations[0].rule: Required value",
    );
  });
});

describe("a deprecated version", () => {
  const versionOf = (deprecated: boolean | string) => define({}, { deprecated }).crd.spec.versions[0];

  it("says what to do instead, as the built-in kinds do", () => {
    expect(versionOf("use v2")).toMatchObject({
      deprecated: true,
      deprecationWarning: "shop.example.com/v1 Site is deprecated; use v2",
    });
    expect(versionOf(true)).not.toHaveProperty("deprecationWarning");
    expect(versionOf(false)).not.toHaveProperty("deprecated");
    expect(define({}, { served: false }).crd.spec.versions[0]?.served).toBe(false);
  });

  it.each<[string, string]>([
    [" ", 'deprecated: Invalid value: " ": must name the replacement, such as use v1, or be true'],
    ["use\nv2", "must contain printable characters only; the character at index 3 is not printable"],
    ["x".repeat(220), "results in a warning of 260 bytes; at most 256 bytes are allowed"],
  ])("is rejected if its warning would be invalid: %j", (deprecated, text) => {
    expect(() => versionOf(deprecated)).toThrow(text);
  });
});
