import { isStatusError } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { RequestedFieldValidation } from "../body/expected-type.ts";
import { parsePatch } from "./patch-body.ts";

const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const parse = (type: keyof typeof types, body: string, custom = false) =>
  parsePatch(types[type], Buffer.from(body), "", custom);

it("distinguishes the patch types", () => {
  expect(parse("merge", '{"a":null}')).toEqual({ type: "merge", patch: { a: null }, problems: [] });
  expect(parse("json", '[{"op":"add","path":"/a","value":1}]')).toMatchObject({ type: "json", problems: [] });
  expect(parse("apply", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")).toMatchObject({
    type: "apply",
    patch: { kind: "Pod" },
  });
});

it("collects problems for strict validation", () => {
  expect(parse("merge", '{"data":{"b":"x","b":"y"}}').problems).toEqual(['duplicate field "data.b"']);
  expect(parse("json", '[{"op":"copy","from":"/a","path":"/b"}]').problems).toEqual([]);
  expect(parse("json", '[{"op":"add","path":"/a","value":1,"foo":1}]').problems).toEqual([
    'json patch unknown field "[0].foo"',
  ]);
});

it.each<readonly [type: keyof typeof types, of: (key: string) => string]>([
  ["merge", (key) => `{"${key}":{"a":1,"a":2}}`],
  ["strategic", (key) => `{"${key}":{"a":1,"a":2}}`],
  ["json", (key) => `[{"op":"add","path":"/a","value":1,"${key}":1}]`],
])("reports at most a hundred problems of a %s patch, and none after 256 KiB", (type, of) => {
  const long = "k".repeat(300_000);
  expect(parse(type, of(long)).problems).toEqual([expect.stringContaining(long)]);
  const [first = "", last = ""] = [of(long).slice(0, -1), of("l").slice(1)];
  expect(parse(type, `${first},${last}`).problems).toHaveLength(1);
  const many = Array.from({ length: 150 }, (_, i) => of(`k${i}`).slice(1, -1)).join(",");
  expect(parse(type, type === "json" ? `[${many}]` : `{${many}}`).problems).toHaveLength(100);
});

it("treats nulls in a JSON patch as empty, like Go", () => {
  expect(parse("json", "null")).toMatchObject({ operations: [] });
  expect(parse("json", '[null,{"op":"test","path":null}]')).toMatchObject({
    operations: [{}, { op: "test", path: null }],
  });
});

it("does not inspect a JSON patch that is not validated", () => {
  const parsed = parsePatch(types.json, Buffer.from('[{"op":1}]'), "Ignore", false);
  expect(parsed).toMatchObject({ operations: [{ op: 1 }] });
  expect(() => parsePatch(types.json, Buffer.from("[1]"), "Ignore", false)).toThrow(
    "error decoding patch: [0]: expected object, got number",
  );
});

it("refuses a number beyond float64 in a strategic merge patch, without a prefix", () => {
  expect(() => parse("strategic", '{"a":[-1e400]}')).toThrow(/^expected float64, got -1e400$/);
});

describe("rejections", () => {
  it.each([
    ["merge", "{", "invalid JSON patch"],
    ["merge", "[]", "error decoding patch: expected object, got array"],
    ["strategic", "[]", "expected object, got array"],
    ["json", "{}", "error decoding patch: expected array, got object"],
    ["json", '["x"]', "error decoding patch: [0]: expected object, got string"],
    ["json", '[{"op":"add"},{"op":"add","path":1}]', "error decoding patch: [1].path: expected string, got number"],
    ["merge", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, "error decoding patch: exceeded max depth of 500"],
    ["json", `[{"value":${"[".repeat(499)}${"]".repeat(499)}}]`, "error decoding patch: exceeded max depth of 500"],
    ["apply", "[]", "error decoding patch: expected object, got array"],
    ["merge", '{"a":1e400}', "error decoding patch: expected float64, got 1e400"],
    ["json", '[{"op":"test","path":"/a","value":1e400}]', "error decoding patch: expected float64, got 1e400"],
  ] as const)("%s %s", (type, body, text) => {
    expect(() => parse(type, body)).toThrow(text);
  });

  it("does not accept strategic patches for custom resources", () => {
    expect(() => parse("strategic", "{}", true)).toThrow(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
    expect(() => parsePatch("application/json", Buffer.from("{}"), "", false)).toThrow("415: Unsupported Media Type");
  });
});

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return "";
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return `${error.code} ${error.reason ?? ""}`;
  }
};

it("reads content types with parameters, and refuses those that are absent or unknown", () => {
  expect(parsePatch(`${types.merge}; charset=utf-8`, Buffer.from("{}"), "", false).type).toBe("merge");
  for (const type of [undefined, "", "text"])
    expect(codeOf(() => parsePatch(type, Buffer.from("{}"), "", false))).toBe("415 UnsupportedMediaType");
  expect(codeOf(() => parse("strategic", "{}", true))).toBe("415 UnsupportedMediaType");
});

it.each<readonly [type: keyof typeof types, body: string, patch: unknown]>([
  ["strategic", "null", {}],
  ["strategic", '{"a":{"b":1}}', { a: { b: 1 } }],
  ["merge", '{"a":1,"a":2}', { a: 2 }],
  ["apply", "", { apiVersion: "", kind: "", metadata: {} }],
  ["apply", "apiVersion: 1\nkind: [a]\nmetadata: 5\nx: 1\n", { apiVersion: "", kind: "", metadata: {}, x: 1 }],
  ["apply", '{"apiVersion":"v1","metadata":{"name":"a"}}', { apiVersion: "v1", kind: "", metadata: { name: "a" } }],
])("reads a %s patch: %j", (type, body, patch) => {
  expect(parse(type, body)).toMatchObject({ type, patch });
});

it("minds repeated keys of an apply patch", () => {
  const body = Buffer.from("kind: a\nkind: b\nx: 1\nx: 2\n");
  const duplicates = ['line 2: key "kind" already set in map', 'line 4: key "x" already set in map'];
  const warnings = (validation: RequestedFieldValidation): unknown => {
    const parsed = parsePatch(types.apply, body, validation, false);
    return parsed.type === "apply" ? [parsed.warnings, parsed.problems] : undefined;
  };
  expect([warnings(""), warnings("Warn"), warnings("Ignore")]).toEqual([
    [duplicates, []],
    [duplicates, []],
    [[], []],
  ]);
  expect(() => warnings("Strict")).toThrow(
    `error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`,
  );
  const once = Buffer.from("x: 1\nx: 2\n");
  expect(() => parsePatch(types.apply, once, "Strict", false)).toThrow("error strict decoding patch");
  expect(parsePatch(types.apply, Buffer.from("x: 1\n"), "Strict", false).type).toBe("apply");
});

it.each<readonly [type: keyof typeof types, body: string, validation: RequestedFieldValidation, message: string]>([
  ["merge", "null", "", "Invalid JSON Patch"],
  ["merge", "1", "Ignore", "Invalid JSON Patch"],
  ["merge", "1", "", "error decoding patch: expected object, got number"],
  ["merge", "[]", "Ignore", "error decoding patch: expected object, got array"],
  ["strategic", "1", "Ignore", "expected object, got number"],
  ["json", '[{"from":1}]', "", "error decoding patch: [0].from: expected string, got number"],
  ["apply", "a: b: c", "", "error decoding patch: error converting YAML to JSON: yaml: mapping values are not allowed"],
  ["apply", "5", "", "error decoding patch: expected object, got number"],
])("refuses a %s patch: %j, validated as %j", (type, body, validation, message) => {
  const run = (): unknown => parsePatch(types[type], Buffer.from(body), validation, false);
  expect(run).toThrow(message);
  expect(codeOf(run)).toBe("400 BadRequest");
});

it("allows 10,000 operations in a JSON patch", () => {
  const operations = (count: number): string => JSON.stringify(Array.from({ length: count }, () => ({ op: "test" })));
  expect(parse("json", operations(10_000))).toMatchObject({ problems: [] });
  const run = (): unknown => parse("json", operations(10_001));
  expect(run).toThrow("Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001");
  expect(codeOf(run)).toBe("413 RequestEntityTooLarge");
});

it.each<keyof typeof types>(["json", "merge", "strategic", "apply"])(
  "refuses too many values in a %s patch",
  (type) => {
    const values = `[${"1,".repeat(100_000)}1]`;
    expect(codeOf(() => parse(type, type === "json" ? `[{"value":${values}}]` : `{"a":${values}}`))).toBe(
      "413 RequestEntityTooLarge",
    );
  },
);
