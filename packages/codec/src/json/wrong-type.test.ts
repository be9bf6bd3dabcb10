import { expect, it } from "vitest";
import { jsonTypeName, wrongType } from "./wrong-type.ts";

it("reports where a value has the wrong type", () => {
  expect(wrongType("data.a", "string", 1n)).toBe("data.a: expected string, got number");
  expect(wrongType("", "object", [])).toBe("expected object, got array");
});

it.each([
  [null, "null"],
  [{}, "object"],
  [true, "boolean"],
  ["", "string"],
])("calls %j %s", (value, name) => {
  expect(jsonTypeName(value)).toBe(name);
});
