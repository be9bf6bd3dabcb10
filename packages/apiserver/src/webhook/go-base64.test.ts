import { expect, it } from "vitest";
import { decodeGoBase64 } from "./go-base64.ts";

it.each([
  ["", ""],
  ["YWJj", "abc"],
  ["YWI=", "ab"],
  ["YQ==", "a"],
  ["YW\nJj\r\n", "abc"],
])("decodes %j", (text, value) => {
  expect(decodeGoBase64(text).toString()).toBe(value);
});

it.each([
  ["%%%", 0],
  ["YWJj%", 4],
  ["YWJ", 0],
  ["YWJjYW", 4],
  ["=", 0],
  ["YQ=", 3],
  ["YQ=a", 3],
  ["YWI=YWI=", 4],
])("says where %j is none", (text, at) => {
  expect(() => decodeGoBase64(text)).toThrow(`illegal base64 data at input byte ${at}`);
});
