import { expect, it } from "vitest";
import type { Kind } from "./kind.ts";
import { Scheme } from "./scheme.ts";

const v1: Kind = { group: "g.example.com", version: "v1", kind: "A" };
const v2: Kind = { group: "g.example.com", version: "v2", kind: "A" };

it("finds a kind by its name and by an object of it", () => {
  const scheme = new Scheme([v1]).register(v2);
  expect(scheme.lookup({ ...v2 })).toBe(v2);
  expect(scheme.kindOfObject({ apiVersion: "g.example.com/v1", kind: "A" })).toBe(v1);
  expect(scheme.recognizes({ group: "", version: "v1", kind: "A" })).toBe(false);
  expect(scheme.versionsOf(v1)).toEqual(["v1", "v2"]);
  expect([...scheme]).toEqual([v1, v2]);
});
