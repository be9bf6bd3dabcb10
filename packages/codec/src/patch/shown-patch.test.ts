import { expect, it } from "vitest";
import { shownPatch } from "./shown-patch.ts";

it("has no nulls in what is new to the object", () => {
  const object = { metadata: { labels: { a: "b" } }, kind: "X" };

  expect(shownPatch({ metadata: { labels: { a: null, b: { c: null, d: [{ e: null }] } } } }, object)).toEqual({
    metadata: { labels: { a: null, b: { d: [{}] } } },
  });
  expect(shownPatch({ kind: { a: null } }, object)).toEqual({ kind: {} });
});
