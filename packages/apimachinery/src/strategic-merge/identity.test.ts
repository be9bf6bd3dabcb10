import { expect, it } from "vitest";
import { identityOf, positionsOf } from "./identity.ts";

it.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, "1", false],
  [null, null, true],
  [null, "null", false],
  [null, undefined, false],
  [true, "true", false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: { c: 1, b: 2 } }, { a: { b: 2, c: 1 } }, true],
  [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }], true],
  [{ a: 1 }, { a: 2 }, false],
  [[1, 2], [2, 1], false],
  [["a"], { 0: "a" }, false],
  [{}, [], false],
])("treats %j and %j as the same, or not", (a, b, isSame) => {
  expect(identityOf(a, undefined) === identityOf(b, undefined)).toBe(isSame);
});

it("uses the merge key if there is one, and ignores inherited members", () => {
  const same = (a: unknown, b: unknown, mergeKey: string) => identityOf(a, mergeKey) === identityOf(b, mergeKey);
  expect(same({ name: "a", x: 1 }, { name: "a", x: 2 }, "name")).toBe(true);
  expect(same({ name: "a" }, { name: "b" }, "name")).toBe(false);
  expect(same({ name: 1 }, { name: "1" }, "name")).toBe(false);
  expect(same({ name: "a" }, "a", "name")).toBe(true);
  expect(identityOf({}, "constructor")).toBe("undefined undefined");
});

it("the first position of duplicates counts", () => {
  expect([...positionsOf(["a", "b", "a"], undefined).values()]).toEqual([0, 1]);
  expect([...positionsOf([{ name: "a" }, { name: "b" }, { name: "a" }], "name").values()]).toEqual([0, 1]);
});
