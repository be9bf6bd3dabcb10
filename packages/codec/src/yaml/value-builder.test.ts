import { expect, it } from "vitest";
import { readYaml, YamlError } from "./yaml-reader.ts";

it.each<readonly [text: string, value: unknown]>([
  ["&a !!str 1", "1"],
  ["!!str &a 1", "1"],
  ["&a &b a", null],
  ["&a", null],
  ["[&a, *a]", [null, null]],
  ["[&a b, *a]", ["b", "b"]],
  ["{&a b: 1, c: *a}", { b: 1, c: "b" }],
  ["'null': a", { null: "a" }],
  ["1.50: a", { "1.5": "a" }],
  [".nan: a", { ".nan": "a" }],
  [".inf: a", { ".inf": "a" }],
  ["-.inf: a", { "-.inf": "a" }],
  ["0x10: a", { "16": "a" }],
  ["9223372036854775807: a", { "9223372036854775807": "a" }],
  ["a: 1\n'a': 2", { a: 2 }],
  ["1: a\n'1': b", { "1": "b" }],
  ["true: 1\nyes: 2", { true: 2 }],
  ["a: 1\nb: {a: 1, a: 2}\na: 3", { a: 3, b: { a: 2 } }],
  ["<<: {a: 1}\nb: 2", { a: 1, b: 2 }],
  ["a: 0\n<<: {a: 1}", { a: 1 }],
  ["<<: {a: 1}\na: 0", { a: 0 }],
  ["<<: [{a: 1}, {a: 2, b: 3}]", { a: 1, b: 3 }],
  ["'<<': {a: 1}", { "<<": { a: 1 } }],
  ["!!merge <<: {a: 1}", { a: 1 }],
  ["!!str <<: {a: 1}", { "<<": { a: 1 } }],
  ["[<<]", ["<<"]],
  ["a: <<", { a: "<<" }],
  ["<<: &x {a: 1}\nb: *x", { a: 1, b: { a: 1 } }],
  ["a: &x 1\nb: &x 2\nc: *x", { a: 1, b: 2, c: 2 }],
  ["a: &x [1]\nb: [*x, *x]", { a: [1], b: [[1], [1]] }],
  ["&a a: b\nc: *a", { a: "b", c: "a" }],
  ["a: &x\nb: *x", { a: null, b: null }],
  ["a: &x {b: &y [1]}\nc: *y", { a: { b: [1] }, c: [1] }],
  ["a: &x [&x 1]\nb: *x", { a: [1], b: 1 }],
])("reads keys, merges and anchors: %j", (text, value) => {
  expect(readYaml(text).value).toEqual(value);
});

it.each<readonly [text: string, message: string]>([
  ["a: &\n", "did not find expected alphabetic or numeric character"],
  ["a: &a!b c", "did not find expected alphabetic or numeric character"],
  ["a: &a, b", "did not find expected key"],
  ["{*a : b}", "unknown anchor 'a' referenced"],
  ["a: *x:", "unknown anchor 'x' referenced"],
  ["*a", "unknown anchor 'a' referenced"],
  ["a: * b", "did not find expected alphabetic or numeric character"],
  ["~: a", "invalid map key: null"],
  ["null: a", "invalid map key: null"],
  ["<<: [{a: 1}, b]", "map merge requires map or sequence of maps as the value"],
  ["<<: 1", "map merge requires map or sequence of maps as the value"],
  ["a: &x [1, &y {b: *x}]", "anchor 'x' value contains itself"],
])("refuses keys, merges and anchors: %j", (text, message) => {
  expect(() => readYaml(text)).toThrow(new YamlError(message));
});

it.each<readonly [text: string, duplicates: readonly string[]]>([
  ["a: 1\n'a': 2", ['line 2: key "a" already set in map']],
  ["1: a\n'1': b", ['line 2: key "1" already set in map']],
  ["true: 1\nyes: 2", ["line 2: key true already set in map"]],
  ["1: a\n1: b", ["line 2: key 1 already set in map"]],
  ["<<: {a: 1}\na: 0", ['line 2: key "a" already set in map']],
  ["a: 0\n<<: {a: 1}", []],
  ["a: {b: 1}\nb: 1", []],
])("reports repeated keys: %j", (text, duplicates) => {
  expect(readYaml(text).duplicates).toEqual(duplicates);
});

it("reports no more than a thousand repeated keys", () => {
  expect(readYaml("a: 1\n".repeat(1_001)).duplicates).toHaveLength(1_000);
  expect(readYaml("a: 1\n".repeat(1_002)).duplicates).toHaveLength(1_000);
});

it("allows aliases to make 99 of 100 values of a small text", () => {
  const text = (aliases: number): string => `[&a [${"1,".repeat(199)}], ${"*a,".repeat(aliases)}]`;
  expect(readYaml(text(190)).value).toHaveLength(191);
  expect(() => readYaml(text(210))).toThrow(new YamlError("document contains excessive aliasing"));
});
