import { ownMember } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { itemIdentity } from "./item-identity.ts";

const identity = (item: unknown): string | undefined => itemIdentity(item, ["a", "b"], ownMember);

it("is equal if the keys are, whatever the other fields are", () => {
  expect(identity({ b: 1, a: "x", c: 2 })).toBe(identity({ a: "x", b: 1 }));
  expect(identity({ a: "x" })).toBe(identity({ a: "x", c: 1 }));
});

it.each([
  [{ a: "1" }, { a: 1 }],
  [{ a: "" }, {}],
  [{ a: null }, {}],
  [{ a: "x\ny" }, { a: "x", b: "y" }],
  [{ a: "x" }, { b: "x" }],
  [{}, "no object"],
])("%j differs from %j", (one, other) => {
  expect(identity(one)).not.toBe(identity(other));
});

it("is undefined for a value that is not an object", () => {
  expect([identity("a"), identity(["a"]), identity(null)]).toEqual([undefined, undefined, undefined]);
});
