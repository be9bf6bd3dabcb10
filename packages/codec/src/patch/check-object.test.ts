import { isStatusError, type Unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { ExpectedType, RequestedFieldValidation } from "../body/expected-type.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { type ObjectSchema, scalar } from "../schema/type-schema.ts";
import { type CheckOptions, checkObject } from "./check-object.ts";
import type { ParsedPatch } from "./patch-body.ts";

const gvk = { group: "", version: "v1", kind: "ConfigMap" };
const schema = builtinSchema(gvk);
if (!schema) throw new Error("there is no such kind");
const configMap: ExpectedType = { gvk, schema, custom: false };
const field = { required: false, number: 0, pointer: true, alwaysPrinted: false, patchStrategies: [] };
const siteSchema: ObjectSchema = {
  ...{ type: "object", isResource: true },
  fields: new Map([["a", { ...field, name: "a", schema: scalar("string") }]]),
};
const site: ExpectedType = {
  gvk: { group: "example.com", version: "v1", kind: "Site" },
  schema: siteSchema,
  custom: true,
};

const object = (more: object = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c" },
  ...more,
});
const custom = (more: object = {}): Unstructured => object({ apiVersion: "example.com/v1", kind: "Site", ...more });
const problemOf = (
  value: Unstructured,
  expected: ExpectedType,
  validation: RequestedFieldValidation = "",
  options?: CheckOptions,
): string => {
  try {
    checkObject(value, expected, validation, options);
    return "";
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return `${error.code} ${error.message}`;
  }
};
/** What a message says of the patch. */
const causeOf = (...given: Parameters<typeof problemOf>): string =>
  problemOf(...given).replace(/^422 {2}"" is invalid: patch: Invalid value: "(?:[^"\\]|\\.)*": /, "");

describe("the type of a patched object", () => {
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  it.each<readonly [more: object, cause: string]>([
    [{}, ""],
    [{ kind: "" }, ""],
    [{ apiVersion: 1 }, "apiVersion: expected string, got number"],
    [{ kind: 1 }, "kind: expected string, got number"],
    [{ kind: "Secret" }, "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [{ kind: "Site" }, `no kind "Site" is registered for version "v1" ${scheme}`],
    [{ apiVersion: "v2" }, `no kind "ConfigMap" is registered for version "v2" ${scheme}`],
    [{ apiVersion: "v2", kind: "Secret" }, `no kind "Secret" is registered for version "v2" ${scheme}`],
    [{ apiVersion: "", kind: "Secret" }, `no kind "Secret" is registered for version "" ${scheme}`],
  ])("is that of the resource: %j", (more, cause) => {
    expect(causeOf(object(more), configMap)).toBe(cause);
  });

  it("is named for custom resources as it was given", () => {
    expect(problemOf(custom(), site)).toBe("");
    expect(problemOf(custom({ kind: "Other" }), site)).toBe(
      '422 Other.example.com "c" is invalid: kind: Invalid value: "Other": must be Site',
    );
    expect(problemOf(custom({ apiVersion: "x.y/v2" }), site)).toBe(
      '422 Site.x.y "c" is invalid: apiVersion: Invalid value: "x.y/v2": must be example.com/v1',
    );
    expect(problemOf(custom({ apiVersion: "v1" }), site)).toMatch(
      /^422 Site "c" is invalid: apiVersion: Invalid value: "v1"/,
    );
  });

  it("must be an object's", () => {
    expect(causeOf([] as unknown as Unstructured, configMap)).toBe("expected object, got array");
  });
});

describe("an object without a version", () => {
  const given = object({ apiVersion: "", data: { a: "b" }, binaryData: {} });

  it("loses everything, with warnings", () => {
    expect(checkObject(given, configMap, "")).toEqual({
      object: { apiVersion: "", kind: "", metadata: { name: "" } },
      warnings: ['unknown field "binaryData"', 'unknown field "data"', 'unknown field "metadata"'],
    });
    expect(checkObject(given, configMap, "Ignore").warnings).toEqual([]);
  });

  it("is refused by strict validation", () => {
    expect(causeOf(given, configMap, "Strict")).toBe(
      'strict decoding error: unknown field "binaryData", unknown field "data", unknown field "metadata"',
    );
    expect(problemOf({ apiVersion: "", kind: "ConfigMap" } as Unstructured, configMap, "Strict")).toBe("");
  });
});

describe("problems", () => {
  const merge: ParsedPatch = { type: "merge", patch: {}, problems: ['duplicate field "data.a"'] };
  const strategic: ParsedPatch = { ...merge, type: "strategic", patch: { z: 1 }, problems: [] };
  const given = object({ z: 1, a: 2, data: { x: "y" } });

  it("are those of the patch, then of the object: by name where a patch made it", () => {
    expect(checkObject(given, configMap, "").warnings).toEqual(['unknown field "z"', 'unknown field "a"']);
    expect(checkObject(given, configMap, "", { patch: merge }).warnings).toEqual([
      ...['duplicate field "data.a"', 'unknown field "a"', 'unknown field "z"'],
    ]);
    expect(checkObject(given, configMap, "", { patch: strategic }).warnings).toEqual([
      'unknown field "a"',
      'unknown field "z"',
    ]);
    expect(checkObject(given, configMap, "Ignore", { patch: merge }).warnings).toEqual([]);
  });

  it("are refused by strict validation", () => {
    expect(causeOf(given, configMap, "Strict", { patch: merge })).toBe(
      'strict decoding error: duplicate field "data.a", unknown field "a", unknown field "z"',
    );
    expect(causeOf(object(), configMap, "Strict")).toBe("");
  });

  it("show the object with its members by name, or the strategic patch", () => {
    const wrong = object({ data: { b: [{ f: 1, e: 1 }], a: { d: 1, c: 1 } } });
    const shown = (options?: CheckOptions): string =>
      problemOf(wrong, configMap, "", options).replace(/^.*Invalid value: /, "");
    expect(shown()).toBe(
      `${JSON.stringify('{"apiVersion":"v1","data":{"a":{"c":1,"d":1},"b":[{"e":1,"f":1}]},"kind":"ConfigMap","metadata":{"name":"c"}}')}: data.b: expected string, got array`,
    );
    expect(shown({ patch: strategic })).toBe(`${JSON.stringify('{"z":1}')}: data.b: expected string, got array`);
  });

  it("of types are worded otherwise after a strategic patch", () => {
    const wrong = object({ data: [] });
    expect(causeOf(wrong, configMap)).toBe("data: expected object, got array");
    expect(causeOf(wrong, configMap, "", { patch: strategic })).toBe("cannot restore map from slice");
  });
});

it("drops nulls of custom resources unless the caller keeps them", () => {
  expect(checkObject(custom({ a: null }), site, "").object).toEqual(custom());
  expect(checkObject(custom({ a: null }), site, "", { keepsNulls: true }).object).toEqual(custom({ a: null }));
});

it("refuses too many values", () => {
  expect(problemOf(object({ data: Array.from({ length: 100_000 }, () => 1) }), configMap)).toMatch(/^413 /);
});
