import { expect, it } from "vitest";
import { escapeFieldName } from "./field-names.ts";

it.each([
  ["plain", "plain"],
  ["a_b", "a_b"],
  ["a__b", "a__underscores__b"],
  ["a.b-c/d", "a__dot__b__dash__c__slash__d"],
  ["namespace", "__namespace__"],
  ["Namespace", "Namespace"],
  ["1st", undefined],
  ["odd name", undefined],
  ["", undefined],
])("names the member %s %s", (name, escaped) => {
  expect(escapeFieldName(name)).toBe(escaped);
});
