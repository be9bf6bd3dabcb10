import { expect, it } from "vitest";
import { readYaml, YamlError } from "./yaml-reader.ts";

it.each<readonly [text: string, value: unknown]>([
  ["a: |-\n  x\n", { a: "x" }],
  ["a: |+\n  x\n\n\nb: 1\n", { a: "x\n\n\n", b: 1 }],
  ["a: |\n  x\n\n\nb: 1\n", { a: "x\n", b: 1 }],
  ["a: |-1\n  x\n", { a: " x" }],
  ["a: |1-\n  x\n", { a: " x" }],
  ["a: |+1\n  x\n\n", { a: " x\n\n" }],
  ["a: | # c\n  x\n", { a: "x\n" }],
  ["a: |#c\n  x\n", { a: "x\n" }],
  ["a: >\n  x\n  y\n\n  z\n\n\n  w\n", { a: "x y\nz\n\nw\n" }],
  ["a: >\n\n  x\n", { a: "\nx\n" }],
  ["a: >\n  x\n   y\n  z\n   w\n\n   v\n  u\n", { a: "x\n y\nz\n w\n\n v\nu\n" }],
  ["- |\n x\n- >\n y\n", ["x\n", "y\n"]],
  ["|\n x\n", "x\n"],
  ["|\nx\n", ""],
  ["a: |\n\nb: 1\n", { a: "", b: 1 }],
  ["a: |\nb: 1", { a: "", b: 1 }],
  ["a: |+\nb: 1", { a: "", b: 1 }],
  ["a: |\r\n  x\r\n  y\r\n", { a: "x\ny\n" }],
  ["a: |\n  x", { a: "x" }],
  ["a: >1\n  x\n y\n", { a: " x\ny\n" }],
])("reads a block scalar: %j", (text, value) => {
  expect(readYaml(text).value).toEqual(value);
});

it.each<readonly [text: string, message: string]>([
  ["a: |10\n x", "did not find expected comment or line break"],
  ["a: |x\n y", "did not find expected comment or line break"],
  ["a: >-\n  x\n\ty\n", "line 3: found a tab character where an indentation space is expected"],
  ["a: |\n  x\n y\n", "line 2: did not find expected key"],
  ["a: |\n\n   \n  x\n", "line 3: did not find expected key"],
  ["a: |0-\n x", "found an indentation indicator equal to 0"],
  ["[|]", "found character that cannot start any token"],
  ["[>a]", "found character that cannot start any token"],
])("refuses a block scalar: %j", (text, message) => {
  expect(() => readYaml(text)).toThrow(new YamlError(message));
});
