import { fieldErrorMessage, fieldPath } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { labelErrors } from "./label-validation.ts";

const find = (labels?: Record<string, string>): string[] =>
  labelErrors(labels, fieldPath("spec", "selector")).map(fieldErrorMessage);

it.each<Record<string, string> | undefined>([undefined, {}, { "a.b/c": "d", e: "" }, { a: null as unknown as string }])(
  "accepts %j",
  (labels) => {
    expect(find(labels)).toEqual([]);
  },
);

it("reports keys and values that are not valid, in their order", () => {
  expect(find({ "a b": "c d", e: "f g" })).toEqual([
    expect.stringContaining('spec.selector: Invalid value: "a b": name part must consist of'),
    expect.stringContaining('spec.selector: Invalid value: "c d": a valid label must be'),
    expect.stringContaining('spec.selector: Invalid value: "f g": a valid label must be'),
  ]);
});
