import { describe, expect, it } from "vitest";
import { applyReviewPatch } from "./json-patch.ts";

const object = () => ({ metadata: { name: "c", finalizers: ["q.r/s"] }, data: { a: "b" } });

describe("a patch of a webhook that does not fit is told in the words of upstream's library:", () => {
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
  ])("%j", (operation, told) => {
    expect(() => applyReviewPatch(object(), [operation])).toThrow(told);
  });
});

describe("a patch of a webhook", () => {
  it("may count list items from the end", () => {
    const value = "a.b/c";
    expect(applyReviewPatch(object(), [{ op: "add", path: "/metadata/finalizers/-1", value }])).toMatchObject({
      metadata: { finalizers: ["q.r/s", value] },
    });
  });

  it("adds what it replaces where that is not there, and copies nothing as null", () => {
    const operations = [
      { op: "replace", path: "/data/x", value: "y" },
      { op: "copy", from: "/data/none", path: "/data/z" },
    ];
    expect(applyReviewPatch(object(), operations)).toMatchObject({ data: { a: "b", x: "y", z: null } });
  });
});
