import { fieldPath } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { unchanged, whatChanged } from "./unchanged.ts";

it("reports that a field is immutable, with the sent value", () => {
  const at = fieldPath("spec", "parentRef");
  expect(unchanged({ name: "a", labels: {} }, { name: "a" }, at)).toEqual([]);
  expect(unchanged(undefined, undefined, at)).toEqual([]);
  expect(unchanged({ name: "b" }, { name: "a" }, at)).toMatchObject([
    { field: "spec.parentRef", badValue: { name: "b" }, detail: "field is immutable" },
  ]);
  expect(unchanged(undefined, { name: "a" }, at)).toMatchObject([{ badValue: null }]);
});

it.each<[unknown, unknown, string]>([
  [{ a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, "b.d"],
  [{ list: [{ x: 1 }, { x: 2 }] }, { list: [{ x: 1 }, { x: 3 }] }, "list[1].x"],
  [{ list: [1] }, { list: [1, 2] }, "list"],
  [{ a: 1 }, { b: 1 }, "a, b"],
  [{ limits: { cpu: "1", memory: "1" } }, { limits: { cpu: "1000m", memory: "2" }, a: 1 }, "limits.memory, a"],
])("from %j to %j: %s", (old, next, places) => {
  expect(whatChanged(old, next)).toBe(`changed: ${places}`);
});

it("lists at most ten places", () => {
  const many = (value: number): object => Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`m${i}`, value]));
  expect(whatChanged(many(1), many(2))).toBe("changed: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, …");
});
