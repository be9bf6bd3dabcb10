import { expect, it } from "vitest";
import { byKey, checkNamespace, checkObjectKey, isObjectName, joinKey, keyOf, splitKey } from "./key.ts";

it("joins and splits keys of both scopes", () => {
  expect(keyOf({ metadata: { name: "a", namespace: "web" } })).toBe("web/a");
  expect(joinKey("", "a")).toBe("a");
  expect(splitKey("web/a")).toEqual({ namespace: "web", name: "a" });
  expect(splitKey("a")).toEqual({ namespace: undefined, name: "a" });
  expect(splitKey({ namespace: "", name: "a" })).toEqual({ namespace: undefined, name: "a" });
});

it("sorts by keys", () => {
  const objects = ["b", "a", "c", "a"].map((name) => ({ metadata: { name, namespace: name === "c" ? "a" : "web" } }));
  expect(objects.toSorted(byKey).map(keyOf)).toEqual(["a/c", "web/a", "web/a", "web/b"]);
  expect(byKey({ metadata: { name: "a" } }, { metadata: { name: "a" } })).toBe(0);
});

it("rejects a key of three parts", () => {
  expect(() => splitKey("a/b/c")).toThrow('unexpected key format: "a/b/c"');
});

it("accepts the keys of single objects", () => {
  for (const name of ["a", "...", "a:b", "é", "a b", "?#"])
    for (const namespace of [undefined, null, "", "web"]) checkObjectKey("get Site", { namespace, name });
  expect(["a", "...", "a:b", ""].map(isObjectName)).toEqual([true, true, true, false]);
});

it.each([
  ["", '"" is empty'],
  [".", `"." may not be '.'`],
  ["..", `".." may not be '..'`],
  ["a/b", `"a/b" may not contain '/'`],
  ["a%", `"a%" may not contain '%'`],
  ["\udc00", "is not well-formed Unicode"],
  [undefined, "undefined is not a string"],
  [{ toString: 1 }, "an object is not a string"],
])("rejects %j as a name, and as a namespace unless it is absent", (value, problem) => {
  expect(() => checkObjectKey("get Site", { name: value })).toThrow(problem);
  expect(() => checkObjectKey("get Site", { name: value })).toThrow(
    /^get Site: name: .*; set it to the name of one object$/,
  );
  if (!value) return checkNamespace("list Site", value);
  expect(() => checkNamespace("list Site", value)).toThrow(problem);
  expect(() => checkObjectKey("get Site", { namespace: value, name: "a" })).toThrow("get Site: namespace: ");
});
