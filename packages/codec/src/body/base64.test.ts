import { expect, it } from "vitest";
import { base64In } from "./base64.ts";

it.each(["", "YQ==", "YWI=", "YWJj", "YW\r\nJj", "+/+/"])("is base64: %j", (text) => {
  expect(base64In(text)).toBe(text.replace("\r\n", ""));
});

it.each(["Y", "YQ", "YQ=", "YQ===", "====", "YQ==YQ==", "YW-_", "YW J", "=YQ="])("is not base64: %j", (text) => {
  expect(base64In(text)).toBeUndefined();
});
