import { expect, it } from "vitest";
import { maxDepth } from "./depth.ts";
import { duplicateFields } from "./duplicate-fields.ts";

const find = (text: string): string[] => duplicateFields(text, JSON.parse(text));

it.each<readonly [text: string, paths: readonly string[]]>([
  ["{}", []],
  ["1", []],
  ['"a"', []],
  ['{"a":1,"b":{"a":1},"c":["a","a"]}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"a":1,"a":2,"a":3}', ["a"]],
  ['{"a" : 1,\n"a"\t\r: 2}', ["a"]],
  ['{"b":{"a":1,"a":2},"a":1,"a":2}', ["b.a", "a"]],
  ['[1,{"a":1},{"a":1,"a":2}]', ["[2].a"]],
  ['{"l":[[1,2],[0,{"a":1,"a":2}]]}', ["l[1][1].a"]],
  ['{"l":[{"x":[1,2,3]},{"a":1,"a":2}]}', ["l[1].a"]],
  ['{"a\\"b":1,"a\\"b":2}', ['a"b']],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"a":"\\\\","b":"\\"","a":"x:"}', ["a"]],
  ['{"a":"\\"a\\":","b":1}', []],
  ['{"a":{"b":1},"c":{"b":1}}', []],
  ['{"a":"{","b":"}","a":","}', ["a"]],
])("finds members that occur twice: %s", (text, paths) => {
  expect(find(text)).toEqual(paths);
});

it("does not repeat a long key in thousands of paths", () => {
  const key = "k".repeat(300_000);
  const below = (members: string): string => `{"${key}":${members}}`;
  const many = Array.from({ length: 3_000 }, (_, i) => `"m${i}":1`).join(",");
  expect(find(below(`{${many},${many}}`))).toEqual([`${key}.m0`]);
  const lists = Array.from({ length: 3_000 }, () => '{"a":1,"a":2}').join(",");
  expect(find(below(`[${lists}]`))).toEqual([`${key}[0].a`]);
  const twice = Array.from({ length: 3_000 }, () => '"b":{"a":1,"a":2}').join(",");
  expect(find(below(`{${twice}}`))).toEqual([`${key}.b.a`]);
});

it("gives up where lists or objects nest too deeply", () => {
  const text = (levels: number): string => `{"x":1,"x":1,"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(find(text(maxDepth - 1))).toEqual(["x"]);
  expect(() => find(text(maxDepth))).toThrow(new RangeError("exceeded max depth"));
});
