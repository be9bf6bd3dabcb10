import { expect, it } from "vitest";
import { jsonSyntaxError } from "./json-syntax-error.ts";

it.each([
  ["", "unexpected end of JSON input"],
  ['{"a":1', "unexpected end of JSON input"],
  ["{not json", "invalid character 'n' looking for beginning of object key string"],
  ["not json", "invalid character 'o' in literal null (expecting 'u')"],
  ["<html>", "invalid character '<' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["{} x", "invalid character 'x' after top-level value"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["01", "invalid character '1' after top-level value"],
  ["[".repeat(100_000), "invalid character '[' exceeded max depth"],
  [`${'{"a":'.repeat(501)}1`, "invalid character '{' exceeded max depth"],
  ["[".repeat(500), "unexpected end of JSON input"],
  ['{"a":[{},[]],"b":{"c":[1,{"d":null}]}} {', "invalid character '{' after top-level value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
])("%.60j: %s", (text, told) => {
  expect(jsonSyntaxError(text)).toBe(told);
});
