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
  ['.spec.list[?(@.n == "y")].n', ["y"]],
  [".spec.list[?( @.n )].n", ["x", "y"]],
  [".spec[?(@ == 3)]", [3]],
  [".spec[?(@<3)]", [1]],
  ['.status.conditions[?("True"==@.status)].type', ["Ready"]],
  ["$.spec.replicas", [3]],
  [" {.spec.replicas} ", [3]],
  [".spec.list[0:1].n", ["x"]],
  [".spec.list[1:].n", ["y"]],
  [".spec.list[:-1].n", ["x"]],
  [".spec.list[5]", []],
  [".spec.replicas[0]", []],
  [".spec.replicas[0:1]", []],
  ['.spec["a.b"]', [1]],
  [".spec.*", [3, 1, [{ n: "x" }, { n: "y" }]]],
  [".spec[*]", [3, 1, [{ n: "x" }, { n: "y" }]]],
  [".spec.replicas.*", []],
  [".spec.list.", [[{ n: "x" }, { n: "y" }]]],
  [".status.conditions[?(@.type!='Ready')].type", ["Other"]],
  [".spec[?(@<=3)]", [3, 1]],
  ['.spec.list[?(@.n<"y")].n', ["x"]],
  ['.spec.list[?(@.n>"x")].n', ["y"]],
  ['.spec.list[?(@.n>="y")].n', ["y"]],
  [".spec.list[?(@.n==true)].n", []],
  [".spec.list[?(@.m==1)].n", []],
  [".spec.list[?(1==@.m)].n", []],
  ["['spec']['it\\'s']", []],
  [".spec[?(true==true)]", [3, 1, [{ n: "x" }, { n: "y" }]]],
  [".spec[?(true==false)]", []],
  [".spec.list[?(@.n==']')].n", []],
  ["", [object]],
])("%s", (path, found) => {
  expect(parseJsonPath(path)(object)).toEqual(found);
});

it("rejects invalid paths", () => {
  expect(() => parseJsonPath(".spec[")).toThrow(JsonPathError);
});

it.each([
  ["a comparison without a value", ".spec[?(@.a == b)]"],
  ["text after a member without a dot", ".spec]"],
  ["a member of no name", ".spec..[0]"],
  ["an invalid index", ".spec[x]"],
  ["a filter without a condition", ".spec[?()]"],
  ["filters in filters in filters", `.a${"[?(@.a".repeat(30)}${")]".repeat(30)}`],
])("rejects %s", (_what, path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});

it("takes linear time for filters", () => {
  const text = `.spec[?(@.a${" ".repeat(1_000_000)}b)]`;
  expect(parseJsonPath(text)(object)).toEqual([]);
});

it.each([20, 150])("finds nothing if there are too many paths: at depth %i", (depth) => {
  let nested: object = {};
  for (let i = 0; i < depth; i++) nested = { a: nested };
  expect(parseJsonPath("..a..a..a")(nested).length).toBe(depth === 20 ? 1_140 : 0);
  expect(parseJsonPath("..a")(nested).length).toBe(depth);
});

it.each([
  ["==", [2]],
  ["!=", [1, 10]],
  ["<", [1]],
  ["<=", [1, 2]],
  [">", [10]],
  [">=", [2, 10]],
])("compares numbers numerically: %s", (operator, found) => {
  expect(parseJsonPath(`[?(@${operator}2)]`)([1, 2, 10])).toEqual(found);
});
