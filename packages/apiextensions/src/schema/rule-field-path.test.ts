import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { followFieldPath } from "./rule-field-path.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { "a.b": { type: "integer" }, labels: { type: "object", additionalProperties: { type: "string" } } },
    },
    list: { type: "array", items: { type: "string" } },
  },
};

describe("a field path", () => {
  it.each([
    [".spec", "spec", "object"],
    [".spec.labels", "spec.labels", "object"],
    [".spec.labels['x/y']", "spec.labels[x/y]", "string"],
    [".spec['a.b']", "spec.a.b", "integer"],
    [".spec.labels['it\\'s']", "spec.labels[it's]", "string"],
    [".spec.labels['.[]']", "spec.labels[.[]]", "string"],
    [".spec.labels['']", "spec.labels[]", "string"],
    [".spec.labels['\\a\\b\\f\\n\\r\\t\\v\\\\']", "spec.labels[\x07\b\f\n\r\t\v\\]", "string"],
    ["['spec']", "spec", "object"],
    ["", "<nil>", "object"],
  ])("leads through names and keys: %s", (text, path, type) => {
    const found = followFieldPath(text, schema);
    expect([found.path.toString(), found.schema.type]).toEqual([path, type]);
  });

  it.each([
    ["spec", "expected [ or . but got: spec"],
    [".nope", "does not refer to a valid field"],
    [".list[0]", "expected single quoted string but got 0"],
    [".list['0']", "does not refer to a valid field"],
    [".spec.", "unexpected end of JSON path"],
    [".spec.labels['x'", "unexpected end of JSON path"],
    [".spec.labels'x'", "expected [ or . but got: 'x'"],
    [".spec.labels['x'.", "expected ] but got ."],
    [".spec.labels['x]", "expected single quoted string but got '"],
    [".spec.labels[x']", "expected single quoted string but got x"],
    [".spec.labels[", "unexpected end of JSON path"],
    [".toString", "does not refer to a valid field"],
    [".list.x", "does not refer to a valid field"],
    [".spec.labels['\\q']", "invalid string literal: invalid escape char \\q"],
  ])("reports why it is invalid: %s", (text, message) => {
    expect(() => followFieldPath(text, schema)).toThrow(message);
  });

  it("has no keys where none are permitted", () => {
    expect(() => followFieldPath(".spec['a.b']", schema, { allowKeys: false })).toThrow(
      "array notation is not allowed",
    );
  });
});
