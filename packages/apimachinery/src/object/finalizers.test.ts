import { expect, it } from "vitest";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
import type { ObjectMeta } from "./object.ts";

it("adds a finalizer once and removes it", () => {
  const object: { metadata: ObjectMeta } = { metadata: { name: "a" } };
  expect(addFinalizer(object, "x/y")).toBe(true);
  expect(addFinalizer(object, "x/y")).toBe(false);
  expect(hasFinalizer(object, "x/y")).toBe(true);
  expect(removeFinalizer(object, "x/y")).toBe(true);
  expect(removeFinalizer(object, "x/y")).toBe(false);
  expect(object.metadata.finalizers).toBeUndefined();
});

it("keeps other finalizers", () => {
  const object: { metadata: ObjectMeta } = { metadata: { name: "a", finalizers: ["o", "x", "x"] } };
  removeFinalizer(object, "x");
  expect(object.metadata.finalizers).toEqual(["o"]);
});
