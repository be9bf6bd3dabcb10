import { describe, expect, it } from "vitest";
import { parsePatch } from "./patch-body.ts";

const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const parse = (type: keyof typeof types, body: string, custom = false) =>
  parsePatch(types[type], Buffer.from(body), "", custom);

it("tells the patch types apart", () => {
  expect(parse("merge", '{"a":null}')).toEqual({ type: "merge", patch: { a: null }, problems: [] });
  expect(parse("json", '[{"op":"add","path":"/a","value":1}]')).toMatchObject({ type: "json", problems: [] });
  expect(parse("apply", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")).toMatchObject({
    type: "apply",
    patch: { kind: "Pod" },
  });
});

it("collects what strict validation will mind", () => {
  expect(parse("merge", '{"data":{"b":"x","b":"y"}}').problems).toEqual(['duplicate field "data.b"']);
  expect(parse("json", '[{"op":"add","path":"/a","value":1,"foo":1}]').problems).toEqual([
    'json patch unknown field "[0].foo"',
  ]);
});

it("takes nulls in a JSON patch for nothing, as Go does", () => {
  expect(parse("json", "null")).toMatchObject({ operations: [] });
  expect(parse("json", '[null,{"op":"test","path":null}]')).toMatchObject({
    operations: [{}, { op: "test", path: null }],
  });
});

it("does not look through a JSON patch that is not to be validated", () => {
  const parsed = parsePatch(types.json, Buffer.from('[{"op":1}]'), "Ignore", false);
  expect(parsed).toMatchObject({ operations: [{ op: 1 }] });
  expect(() => parsePatch(types.json, Buffer.from("[1]"), "Ignore", false)).toThrow(
    "error decoding patch: [0]: expected object, got number",
  );
});

describe("refusals", () => {
  it.each([
    [
      "merge",
      "{",
      "error decoding patch: not valid JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ],
    ["merge", "[]", "error decoding patch: expected object, got array"],
    ["strategic", "[]", "expected object, got array"],
    ["json", "{}", "error decoding patch: expected array, got object"],
    ["json", '["x"]', "error decoding patch: [0]: expected object, got string"],
    ["json", '[{"op":"add"},{"op":"add","path":1}]', "error decoding patch: [1].path: expected string, got number"],
    ["merge", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, "error decoding patch: exceeded max depth of 500"],
    ["json", `[{"value":${"[".repeat(499)}${"]".repeat(499)}}]`, "error decoding patch: exceeded max depth of 500"],
    ["apply", "[]", "error decoding YAML: expected object, got array"],
  ] as const)("%s %s", (type, body, text) => {
    expect(() => parse(type, body)).toThrow(text);
  });

  it("does not take strategic patches for custom resources", () => {
    expect(() => parse("strategic", "{}", true)).toThrow(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
    expect(() => parsePatch("application/json", Buffer.from("{}"), "", false)).toThrow("415: Unsupported Media Type");
  });
});
