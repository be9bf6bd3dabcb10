import { fieldErrorMessage, type KubeObject, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { DefinitionVersion, JsonSchema } from "../definition/definition.ts";
import { customStrategy } from "./custom-strategy.ts";

const version = (schema: JsonSchema, more: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
  ...{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", ...schema } } },
  ...more,
});
const object = (more: object = {}): Unstructured => ({
  ...{ apiVersion: "example.com/v1", kind: "Host", metadata: { name: "a" } },
  ...more,
});
const context = { nowMs: 0, namespace: "", dryRun: false, user: { name: "jane", groups: [] } };
const texts = (errors: Parameters<typeof fieldErrorMessage>[0][] | undefined): string[] | undefined =>
  errors?.map(fieldErrorMessage);

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "integer" };
const rule = (expression: string) => ({ "x-kubernetes-validations": [{ rule: expression }] });

it("describes a version without subresources", () => {
  const strategy = customStrategy({ name: "v1", served: true, storage: true });
  expect(strategy).toMatchObject({
    ...{ countsGeneration: true, hasStatus: false, allowUnconditionalUpdate: false, ownFieldLabels: false },
    selectableFields: {},
  });
  expect(strategy.scale).toBeUndefined();
  expect(strategy.validate?.(object({ x: 1 }), context)).toEqual([]);
  expect(customStrategy(version({}, { subresources: { status: {} } })).hasStatus).toBe(true);
});

describe("defaults", () => {
  const withDefaults = (properties: JsonSchema["properties"], given: KubeObject): unknown => {
    customStrategy(version({ ...(properties ? { properties } : {}) })).applyDefaults?.(given);
    return given;
  };

  it("are filled in, except in metadata", () => {
    const metadata: JsonSchema = { type: "object", properties: { name: { ...text, default: "d" } } };
    expect(withDefaults({ color: { ...text, default: "red" }, metadata }, object({ metadata: {} }))).toEqual({
      ...object(),
      ...{ metadata: {}, color: "red" },
    });
    expect(withDefaults(undefined, object())).toEqual(object());
  });

  it("are refused with 413 if they are too many", () => {
    const big = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]));
    const items: JsonSchema = { type: "object", properties: { a: { type: "object", default: big } } };
    const list = Array.from({ length: 2_000 }, () => ({}));
    expect(() => withDefaults({ list: { type: "array", items } }, object({ list }))).toThrow(
      expect.objectContaining({
        status: {
          ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 413 },
          reason: "RequestEntityTooLarge",
          message: "Request entity too large: the defaults in its schema would add too many values",
        },
      }),
    );
  });
});

it("reads selectable fields as text", () => {
  const jsonPaths = [".spec.color", ".spec.n", ".spec.missing", ".spec.null", ".spec"];
  const { selectableFields = {} } = customStrategy(
    version({}, { selectableFields: jsonPaths.map((jsonPath) => ({ jsonPath })) }),
  );
  const given: KubeObject = object({ spec: { color: "red", n: 0, null: null } });
  expect(Object.entries(selectableFields).map(([name, read]) => [name, read(given)])).toEqual([
    ["spec.color", "red"],
    ["spec.n", "0"],
    ["spec.missing", ""],
    ["spec.null", ""],
    ["spec", ""],
  ]);
});

const scale = { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n", labelSelectorPath: ".status.sel" };

it("knows where a scale is", () => {
  const paths = customStrategy(version({}, { subresources: { scale } })).scale;
  expect(paths).toMatchObject({ specReplicas: ["spec", "n"], statusReplicas: ["status", "n"] });
  expect(paths?.selector?.(object({ status: { sel: "a=b" } }))).toBe("a=b");
  expect(paths?.selector?.(object())).toBe("");
  const { labelSelectorPath: _path, ...others } = scale;
  expect(customStrategy(version({}, { subresources: { scale: others } })).scale?.selector).toBeUndefined();
});

const properties: JsonSchema["properties"] = {
  spec: {
    type: "object",
    properties: {
      ...{ color: text, n: {}, embedded: { type: "object", "x-kubernetes-embedded-resource": true } },
      set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    },
  },
  status: {
    type: "object",
    properties: { n: {}, phase: text, set: { type: "array", items: text, "x-kubernetes-list-type": "set" } },
  },
};
const withScale = customStrategy(version({ properties }, { subresources: { scale } }));
const withoutScale = customStrategy(version({ properties }));
const negative = (place: string): string => `.${place}.n: Invalid value: -1: should be a non-negative integer`;
const wrongType = (field: string): string =>
  `${field}: Invalid value: "integer": ${field} in body must be of type string: "integer"`;
const duplicate = (part: string): string => `${part}.set[1]: Duplicate value: "x"`;

const wrong = {
  spec: { color: 1, n: -1, embedded: { kind: "Pod" }, set: ["x", "x"] },
  status: { phase: 1, n: -1, set: ["x", "x"] },
};
const found = {
  schema: [wrongType("spec.color"), wrongType("status.phase")],
  scale: [negative("spec"), negative("status")],
  rest: ["spec.embedded.apiVersion: Required value", duplicate("spec"), duplicate("status")],
};

it("validates the whole object when it is created or updated", () => {
  const all = [...found.schema, ...found.scale, ...found.rest];
  expect(texts(withScale.validate?.(object(wrong), context))).toEqual(all);
  expect(texts(withScale.validateUpdate?.(object(wrong), object(), context))).toEqual(all);
  expect(texts(withoutScale.validate?.(object(wrong), context))).toEqual([...found.schema, ...found.rest]);
});

it("validates only the status when that is updated", () => {
  expect(texts(withScale.validateStatusUpdate?.(object(wrong), object(), context))).toEqual([
    ...[wrongType("status.phase"), negative("status"), duplicate("spec"), duplicate("status")],
  ]);
  expect(texts(withoutScale.validateStatusUpdate?.(object({ status: { phase: 1 } }), object(), context))).toEqual([
    wrongType("status.phase"),
  ]);
  expect(withScale.validateStatusUpdate?.(object({ spec: wrong.spec, status: {} }), object(), context)).toHaveLength(1);
  expect(texts(withScale.validateStatusUpdate?.(object({ status: 5 }), object(), context))?.[0]).toBe(
    'status: Invalid value: "integer":  in body must be of type object: "integer"',
  );
  expect(withScale.validateStatusUpdate?.(object(), object(), context)).toEqual([]);
  expect(customStrategy(version({})).validateStatusUpdate?.(object({ status: 5 }), object(), context)).toEqual([]);
});

it("accepts what was wrong before and did not change", () => {
  const { n: _n, ...spec } = wrong.spec;
  const old = object({ spec, status: { phase: 1, set: ["x", "x"] } });
  const next = object({ spec: { ...spec, n: 1 }, status: { phase: 1, n: 1, set: ["x", "x", "x"] } });
  expect(texts(withScale.validateUpdate?.(next, old, context))).toEqual([found.rest[0]]);
  expect(withScale.validateStatusUpdate?.(next, old, context)).toEqual([]);
});

describe("rules", () => {
  const ofSpec = (properties: JsonSchema["properties"], more: JsonSchema = {}): JsonSchema => ({
    properties: { spec: { type: "object", ...(properties ? { properties } : {}), ...more } },
  });
  const notBad = { ...text, ...rule("self != 'bad'"), maxLength: 5 };
  const failed = `spec.a: Invalid value: "bad": failed rule: self != 'bad'`;

  it("are evaluated along with the schema, and can use the name", () => {
    const strategy = customStrategy(
      version({ ...ofSpec({ a: notBad, b: { ...number, minimum: 1 } }), ...rule("self.metadata.name == 'a'") }),
    );
    expect(texts(strategy.validate?.(object({ spec: { a: "bad", b: 0 } }), context))).toEqual([
      ...["spec.b: Invalid value: 0: spec.b in body should be greater than or equal to 1", failed],
    ]);
    expect(texts(strategy.validate?.({ ...object(), metadata: { name: "b" } }, context))).toEqual([
      "<nil>: Invalid value: failed rule: self.metadata.name == 'a'",
    ]);
  });

  it("are evaluated when a status is updated", () => {
    const strategy = customStrategy(version(ofSpec({ a: notBad })));
    const bad = object({ spec: { a: "bad" } });
    expect(texts(strategy.validateStatusUpdate?.(bad, object(), context))).toEqual([failed]);
    expect(texts(strategy.validateUpdate?.(bad, object(), context))).toEqual([failed]);
  });

  it.each<readonly [error: string, spec: JsonSchema, value: object]>([
    ["FieldValueRequired", { required: ["b"] }, {}],
    ["FieldValueNotSupported", { properties: { b: { ...text, enum: ["x"] } } }, { b: "y" }],
    ["FieldValueTooLong", { properties: { b: { ...text, maxLength: 1 } } }, { b: "yy" }],
    ["FieldValueTooMany", { properties: { b: { type: "array", items: text, maxItems: 0 } } }, { b: ["x"] }],
    ["FieldValueTypeInvalid", { properties: { b: text } }, { b: 1 }],
  ])("are not evaluated after %s", (type, schema, value) => {
    const strategy = customStrategy(version(ofSpec(undefined, { ...schema, ...rule("false") })));
    const errors = strategy.validate?.(object({ spec: value }), context);
    expect(errors?.map((error) => error.type)).toEqual([type, "FieldValueInvalid"]);
    expect(texts(errors)?.[1]).toBe(
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    );
    const without = customStrategy(version(ofSpec(undefined, schema)));
    expect(without.validate?.(object({ spec: value }), context)).toHaveLength(1);
  });

  it("only warn of what did not change", () => {
    const strategy = customStrategy(version(ofSpec({ a: notBad, b: number })));
    const [old, next] = [object({ spec: { a: "bad", b: 1 } }), object({ spec: { a: "bad", b: 2 } })];
    expect(strategy.validateUpdate?.(next, old, context)).toEqual([]);
    expect(strategy.warningsOnUpdate?.(next, old, context)).toEqual([failed]);
    expect(strategy.warningsOnUpdate?.(old, old, context)).toEqual([]);
  });
});
