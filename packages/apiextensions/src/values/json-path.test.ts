import { expect, it } from "vitest";
import { JsonPathError, parseJsonPath } from "./json-path.ts";

const object = {
  spec: { replicas: 3, "a.b": 1, list: [{ n: "x" }, { n: "y" }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

it.each([
  [".spec.replicas", [3]],
  [".spec['a.b']", [1]],
  [".spec.a\\.b", [1]],
  [".spec.list[0].n", ["x"]],
  [".spec.list[-1].n", ["y"]],
  [".spec.list[*].n", ["x", "y"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  ["{.spec.replicas}", [3]],
  [".spec.nope.deeper", []],
  ["..n", ["x", "y"]],
])("%s", (path, found) => {
  expect(parseJsonPath(path)(object)).toEqual(found);
});

it("refuses what is no path", () => {
  expect(() => parseJsonPath(".spec[")).toThrow(JsonPathError);
});
