import { expect, it } from "vitest";
import { readYaml, YamlError } from "./yaml-reader.ts";

it.each<readonly [text: string, value: unknown]>([
  [
    '"\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\"\\\'\\\\\\N\\_\\L\\P"',
    "\u0000\u0007\b\t\n\u000b\f\r\u001b \"'\\\u0085\u00a0\u2028\u2029",
  ],
  ['"\\\t"', "\t"],
  ['"\\x41\\u00e9\\U0001F600"', "A\u00e9\ud83d\ude00"],
  ['"\\ud7ff\\ue000"', "\ud7ff\ue000"],
  ['"\\U0010FFFF"', "\udbff\udfff"],
  ['"a\\\n  b"', "ab"],
  ['"a  \n  b"', "a b"],
  ['"a\\  \n b"', "a  b"],
  ['"a\n\n\nb"', "a\n\nb"],
  ['"a \t b"', "a \t b"],
  ["'a''b'", "a'b"],
  ["''", ""],
  ["'a\n\n b'", "a\nb"],
  ["'\\n'", "\\n"],
  ['"\'"', "'"],
  ["'\"'", '"'],
  ["a: 'x' # c", { a: "x" }],
])("reads a quoted scalar: %j", (text, value) => {
  expect(readYaml(text).value).toEqual(value);
});

it.each<readonly [text: string, message: string]>([
  ['"\\/"', "found unknown escape character"],
  ['"\\x4"', "did not find expected hexdecimal number"],
  ['"\\xzz"', "did not find expected hexdecimal number"],
  ['"\\u12g4"', "did not find expected hexdecimal number"],
  ['"\\ud800"', "found invalid Unicode character escape code"],
  ['"\\udfff"', "found invalid Unicode character escape code"],
  ['"\\U00110000"', "found invalid Unicode character escape code"],
  ['"\\q"', "found unknown escape character"],
  ["'a", "found unexpected end of stream"],
  ['"a', "found unexpected end of stream"],
  ['a: "x"y', "did not find expected key"],
])("refuses a quoted scalar: %j", (text, message) => {
  expect(() => readYaml(text)).toThrow(new YamlError(message));
});
