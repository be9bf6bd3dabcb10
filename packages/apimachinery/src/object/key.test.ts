import { expect, it } from "vitest";
import { joinKey, keyOf, splitKey } from "./key.ts";

it("joins and splits keys of both scopes", () => {
  expect(keyOf({ metadata: { name: "a", namespace: "web" } })).toBe("web/a");
  expect(joinKey("", "a")).toBe("a");
  expect(splitKey("web/a")).toEqual({ namespace: "web", name: "a" });
  expect(splitKey("a")).toEqual({ namespace: undefined, name: "a" });
  expect(splitKey({ namespace: "", name: "a" })).toEqual({ namespace: undefined, name: "a" });
});

it("refuses a key of three parts", () => {
  expect(() => splitKey("a/b/c")).toThrow('unexpected key format: "a/b/c"');
});
