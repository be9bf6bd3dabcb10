import { type FieldError, fieldError } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { afterDeclaredValidation } from "./declared-validation.ts";
import { thingResource } from "./testing/thing-resource.ts";

const resource = thingResource({ declaredFields: ["spec.a", "spec.list", "spec.list[].name"] });
const fields = (errors: readonly FieldError[]): string[] =>
  errors.map(({ field, detail }) => `${field} ${detail}`.trim());
const other = fieldError.required("spec.other", "why");

it("puts the errors of declared rules last, without a reason", () => {
  const required = fieldError.required("spec.list[2].name", "must be named");
  expect(fields(afterDeclaredValidation(resource, [required, other]))).toEqual(["spec.other why", "spec.list[2].name"]);
});

it("takes a repeated item for an error of its list, and no other error of the item", () => {
  const [duplicate, missing] = [fieldError.duplicate("spec.list[1]", "x"), fieldError.required("spec.list[1]", "why")];
  expect(fields(afterDeclaredValidation(resource, [duplicate, missing]))).toEqual(["spec.list[1] why", "spec.list[1]"]);
});

it.each([
  ["field is immutable", ["spec.other why", "spec.a field is immutable"]],
  ["must be greater than or equal to 0", ["spec.other why", "spec.a must be greater than or equal to 0"]],
  ["must be less than b", ["spec.a must be less than b", "spec.other why"]],
])("a wrong value can come from a declared rule only if the rule needs no other field: %s", (detail, expected) => {
  expect(fields(afterDeclaredValidation(resource, [fieldError.invalid("spec.a", 1, detail), other]))).toEqual(expected);
});

it("reports each error of a built-in kind once, and those of other kinds as they are", () => {
  expect(afterDeclaredValidation(resource, [other, other])).toEqual([other]);
  for (const more of [{ origin: "custom" }, { group: "apiextensions.k8s.io" }] as const)
    expect(afterDeclaredValidation({ ...resource, ...more }, [other, other])).toEqual([other, other]);
});

it("compares the values of errors by content, and formats each value once", () => {
  let reads = 0;
  const shared = {
    get name(): string {
      reads += 1;
      return "x";
    },
  };
  const errors = Array.from({ length: 100 }, (_, i) => fieldError.invalid("spec.other", shared, `conflict ${i % 2}`));
  const equal = fieldError.invalid("spec.other", { name: "x" }, "conflict 0");
  const different = fieldError.invalid("spec.other", { name: "y" }, "conflict 0");
  expect(afterDeclaredValidation(resource, [...errors, equal, different])).toHaveLength(3);
  expect(reads).toBe(1);
});
