import { expect, it } from "vitest";
import { deepFreeze } from "./freeze.ts";

it("freezes every level, and frozen parts only once", () => {
  const value = deepFreeze({ a: { b: [{ c: 1 }] }, d: null });
  expect([value, value.a, value.a.b, value.a.b[0]].every((part) => Object.isFrozen(part))).toBe(true);
  expect(deepFreeze(value)).toBe(value);
});

it("freezes the content of frozen parts", () => {
  const value = deepFreeze({ a: Object.freeze({ b: { c: [] } }) });
  expect([value, value.a.b, value.a.b.c].every((part) => Object.isFrozen(part))).toBe(true);
});

it("freezes objects that are nested as deep as an API server allows", () => {
  const depth = 10_000;
  let part: unknown = deepFreeze(JSON.parse(`${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`));
  for (let level = 1; level < depth; level++) {
    expect(Object.isFrozen(part)).toBe(true);
    part = Array.isArray(part) ? part[0] : (part as { a: unknown }).a;
  }
  expect(part).toEqual([]);
  expect(Object.isFrozen(part)).toBe(true);
});
