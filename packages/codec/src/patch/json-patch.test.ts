import { describe, expect, it } from "vitest";
import { applyRawJsonPatch } from "./json-patch.ts";

const object = () => ({ metadata: { name: "c", finalizers: ["q.r/s"] }, data: { a: "b" } });

describe("reports a patch that cannot be applied with the message of upstream's library:", () => {
  it.each([
    [
      { op: "add", path: "/metadata/labels/x", value: "y" },
      'add operation does not apply: doc is missing path: "/metadata/labels/x": missing value',
    ],
    [
      { op: "add", path: "/metadata/finalizers/5", value: "a" },
      "error in add for path: '/metadata/finalizers/5': Unable to access invalid index: 5: invalid index referenced",
    ],
    [
      { op: "add", path: "/metadata/finalizers/x", value: "a" },
      "error in add for path: '/metadata/finalizers/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
    ],
    [
      { op: "remove", path: "/nope" },
      "error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [{ op: "remove", path: "" }, 'remove operation does not apply: doc is missing path: "": missing value'],
    [
      { op: "replace", path: "/zzz/y", value: 1 },
      "replace operation does not apply: doc is missing path: /zzz/y: missing value",
    ],
    [
      { op: "replace", path: "/metadata/finalizers/5", value: 1 },
      "replace operation does not apply: doc is missing key: /metadata/finalizers/5: missing value",
    ],
    [
      { op: "move", from: "/data/zzz", path: "/data/b" },
      "error in move for path: 'zzz': Unable to remove nonexistent key: zzz: missing value",
    ],
    [
      { op: "copy", from: "/zzz/a", path: "/data/b" },
      "copy operation does not apply: doc is missing from path: /zzz/a: missing value",
    ],
    [{ op: "test", path: "/metadata/name", value: "other" }, "testing value /metadata/name failed: test failed"],
    [{ op: "add", value: 1 }, "add operation failed to decode path: missing value"],
    [{ op: "frob", path: "/x" }, "Unexpected kind: frob"],
  ])("%j", (operation, message) => {
    expect(() => applyRawJsonPatch(object(), [operation])).toThrow(message);
  });
});

describe("a patch", () => {
  it("may index list items from the end", () => {
    const value = "a.b/c";
    expect(applyRawJsonPatch(object(), [{ op: "add", path: "/metadata/finalizers/-1", value }])).toMatchObject({
      metadata: { finalizers: ["q.r/s", value] },
    });
  });

  it("adds on replacing a missing member, and copies a missing value as null", () => {
    const operations = [
      { op: "replace", path: "/data/x", value: "y" },
      { op: "copy", from: "/data/none", path: "/data/z" },
    ];
    expect(applyRawJsonPatch(object(), operations)).toMatchObject({ data: { a: "b", x: "y", z: null } });
  });

  it("treats inherited names like any other member", () => {
    const document = object();
    applyRawJsonPatch(document, [
      { op: "add", path: "/data/__proto__", value: { resources: ["*"] } },
      { op: "copy", from: "/data/__proto__", path: "/data/constructor" },
      { op: "move", from: "/data/a", path: "/data/toString" },
      { op: "replace", path: "/data/valueOf", value: "v" },
    ]);
    expect(Object.keys(document.data)).toEqual(["__proto__", "constructor", "toString", "valueOf"]);
    for (const path of ["/__proto__/x", "/constructor/prototype/x", "/data/toString/x"])
      expect(() => applyRawJsonPatch(document, [{ op: "add", path, value: 1 }])).toThrow("doc is missing path");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("copies at most the size of a request, however often it doubles", () => {
    const mebibyte = "x".repeat(1024 * 1024 - 2);
    const copies = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ op: "copy", from: "/data/a", path: `/data/b${i}` }));
    expect(applyRawJsonPatch({ data: { a: mebibyte } }, copies(3))).toHaveProperty("data.b2", mebibyte);
    expect(() => applyRawJsonPatch({ data: { a: mebibyte } }, copies(4))).toThrow(
      "Unable to complete the copy, the accumulated size increase of copy is 4194304, exceeding the limit 3145728",
    );
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/data", path: `/data/x${i}` }));
    expect(() => applyRawJsonPatch({ data: { a: 1 } }, doubling)).toThrow("exceeding the limit 3145728");
  });

  it("shifts a limited number of items in long lists", () => {
    const list = (): number[] => Array.from({ length: 100_000 }, () => 0);
    const inFront = Array.from({ length: 10_000 }, () => ({ op: "add", path: "/l/0", value: 1 }));
    expect(() => applyRawJsonPatch({ l: list() }, inFront)).toThrow("moves more than 100000000 list items");
    const atEnd = inFront.map((operation) => ({ ...operation, path: "/l/-" }));
    expect(applyRawJsonPatch({ l: list() }, atEnd)).toHaveProperty("l.length", 110_000);
  });

  it("nests no deeper than objects may", () => {
    const deeper = Array.from({ length: 300 }, () => [
      { op: "move", from: "/data/a", path: "/data/b" },
      { op: "add", path: "/data/a", value: [[]] },
      { op: "move", from: "/data/b", path: "/data/a/0/0" },
    ]).flat();
    expect(() => applyRawJsonPatch({ data: { a: [] } }, deeper)).toThrow("exceeded max depth");
    expect(applyRawJsonPatch({ data: { a: [] } }, deeper.slice(0, 300))).toHaveProperty("data");
    const copied = [...deeper, { op: "copy", from: "/data", path: "/copied" }];
    expect(() => applyRawJsonPatch({ data: { a: [] } }, copied)).toThrow("exceeded max depth");
  });
});
