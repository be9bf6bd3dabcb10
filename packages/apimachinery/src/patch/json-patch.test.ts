import { describe, expect, it } from "vitest";
import { createJsonPatch } from "./create-json-patch.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import { PatchError } from "./patch-error.ts";

describe("a JSON patch", () => {
  it("applies its operations in order and does not modify the document", () => {
    const document = { a: { b: [1, 2] }, "x/y": 1, "m~n": 2 };
    const result = applyJsonPatch(document, [
      { op: "test", path: "/a/b/0", value: 1 },
      { op: "add", path: "/a/b/-", value: 3 },
      { op: "add", path: "/a/b/0", value: 0 },
      { op: "remove", path: "/x~1y" },
      { op: "replace", path: "/m~0n", value: { c: 1 } },
      { op: "copy", from: "/a/b", path: "/copy" },
      { op: "move", from: "/m~0n/c", path: "/moved" },
    ]);
    expect(result).toEqual({ a: { b: [0, 1, 2, 3] }, "m~n": {}, copy: [0, 1, 2, 3], moved: 1 });
    expect(document).toEqual({ a: { b: [1, 2] }, "x/y": 1, "m~n": 2 });
  });

  it("can replace the whole document", () => {
    expect(applyJsonPatch({ a: 1 }, [{ op: "replace", path: "", value: [1] }])).toEqual([1]);
  });

  it.each<[string, JsonPatchOperation]>([
    ["a failed test", { op: "test", path: "/a", value: 2 }],
    ["a missing member to remove", { op: "remove", path: "/b" }],
    ["a missing item to replace", { op: "replace", path: "/l/1", value: 1 }],
    ["a missing parent", { op: "add", path: "/b/c", value: 1 }],
    ["a position beyond the list", { op: "add", path: "/l/2", value: 1 }],
    ["a position that is not a number", { op: "remove", path: "/l/x" }],
    ["a path without slash", { op: "remove", path: "a" }],
    ["moving into itself", { op: "move", from: "/l", path: "/l/0" }],
  ])("fails on %s", (_name, operation) => {
    expect(() => applyJsonPatch({ a: 1, l: [1] }, [operation])).toThrow(PatchError);
  });

  it("is applied as by the API server: counts from the end of a list, and adds a missing member that it replaces", () => {
    expect(applyJsonPatch({ l: [1, 2] }, [{ op: "remove", path: "/l/-1" }])).toEqual({ l: [1] });
    expect(applyJsonPatch({}, [{ op: "replace", path: "/a", value: 1 }])).toEqual({ a: 1 });
  });

  it("does not modify the document if an operation fails", () => {
    const document = { a: 1 };
    const operations: JsonPatchOperation[] = [
      { op: "add", path: "/b", value: 2 },
      { op: "test", path: "/a", value: 2 },
    ];
    expect(() => applyJsonPatch(document, operations)).toThrow("testing value /a failed: test failed");
    expect(document).toEqual({ a: 1 });
  });

  it("treats a test for null as a test for absence", () => {
    expect(applyJsonPatch({}, [{ op: "test", path: "/gone", value: null }])).toEqual({});
  });

  it("does not find inherited members", () => {
    for (const path of ["/constructor/prototype/x", "/__proto__/x", "/toString/x"])
      expect(() => applyJsonPatch({}, [{ op: "add", path, value: 1 }])).toThrow(PatchError);
    expect(createJsonPatch({}, JSON.parse('{"__proto__":1,"constructor":{}}'))).toEqual([
      { op: "add", path: "/__proto__", value: 1 },
      { op: "add", path: "/constructor", value: {} },
    ]);
  });

  it("sets __proto__ as an ordinary member", () => {
    const result = applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { x: 1 } }]);
    expect(Object.hasOwn(result as object, "__proto__")).toBe(true);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

it("limits the copies of a patch to 3 MiB in total", () => {
  const doubling = Array.from({ length: 40 }, (_, i) => ({ op: "copy" as const, from: "/a", path: `/a/x${i}` }));
  expect(() => applyJsonPatch({ a: { b: 1 } }, doubling)).toThrow("exceeding the limit 3145728");
});

describe("making a JSON patch", () => {
  it.each([
    [{ a: 1 }, { a: 1 }],
    [{ a: 1, b: { c: 2 } }, { b: { c: 3, "d/e": 4 } }],
    [{ l: [1, 2, 3] }, { l: [1, 4, 2, 3] }],
    [{ l: [1, 2, 3] }, { l: [3] }],
    [{ l: [{ n: "a", v: 1 }, { n: "b" }] }, { l: [{ n: "a", v: 2 }, { n: "b" }, { n: "c" }] }],
    [{ l: [] }, { l: {} }],
    [1, { a: 1 }],
  ])("turns %o into %o", (from, to) => {
    expect(applyJsonPatch(from, createJsonPatch(from, to))).toEqual(to);
  });

  it("is empty when nothing changed, and small when little did", () => {
    expect(createJsonPatch({ a: [1] }, { a: [1] })).toEqual([]);
    expect(createJsonPatch({ l: [1, 2, 3] }, { l: [1, 3] })).toEqual([{ op: "remove", path: "/l/1" }]);
  });
});
