import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";

describe("a merge patch", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [["a"], { c: null, d: 1 }, { d: 1 }],
    [{ a: 1 }, null, null],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("on %o with %o gives %o", (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  it("made from two objects turns the first into the second", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(fc.integer(), { maxLength: 3 }),
        tie("map"),
      ),
      map: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "toString"), tie("value"), {
        noNullPrototype: true,
      }),
    })).map;
    fc.assert(
      fc.property(value, value, (from, to) => {
        expect(applyMergePatch(from, createMergePatch(from, to))).toEqual(to);
      }),
    );
  });

  it("treats __proto__ like any other member", () => {
    const document = applyMergePatch({}, JSON.parse('{"__proto__":{"a":1,"b":null},"c":{"__proto__":{"d":2}}}'));
    expect(JSON.stringify(document)).toBe('{"__proto__":{"a":1},"c":{"__proto__":{"d":2}}}');
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
    expect(applyMergePatch(document, JSON.parse('{"__proto__":null,"c":null}'))).toEqual({});
  });

  it("is empty for equal objects, with undefined members as absent ones", () => {
    expect(createMergePatch({ a: { b: 1 } }, { a: { b: 1 }, c: undefined })).toEqual({});
    expect(createMergePatch({ a: 1, b: [1] }, { b: [2] })).toEqual({ a: null, b: [2] });
  });
});
