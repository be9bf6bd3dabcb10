import { expect, it } from "vitest";
import { parseAccept } from "./accept.ts";

const order = (header: string): string[] => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);

it("sorts by weight, and keeps the order otherwise", () => {
  expect(order("a/b, c/d")).toEqual(["a/b", "c/d"]);
  expect(order("a/b;q=0.5, c/d;q=0.9")).toEqual(["c/d", "a/b"]);
  expect(order("a/b;q=x, c/d;q=0.1")).toEqual(["c/d", "a/b"]);
});

it("sorts patterns last, as upstream does even with a greater weight", () => {
  expect(order("*/*, a/*, a/b;q=0.1")).toEqual(["a/b", "a/*", "*/*"]);
});

it("skips invalid media types", () => {
  expect(order("garbage, a/b, a/b/c")).toEqual(["a/b"]);
  expect(order("*")).toEqual(["*/*"]);
});

it("keeps parameters except the weight", () => {
  expect(parseAccept("a/b; as=Table ;v=v1;q=0.3;empty=;odd")[0]?.parameters).toEqual({ as: "Table", v: "v1" });
});

it.each<readonly [header: string, order: readonly string[]]>([
  ["a/b;q=1, c/d;q=1.0", ["a/b", "c/d"]],
  ["a/b;q=0.5, c/d", ["c/d", "a/b"]],
  ["a/b, c/d;q=1.5", ["c/d", "a/b"]],
  ["a/b;q=.1, c/d;q=+2e-1", ["c/d", "a/b"]],
  ["a/b;q=0x1, c/d;q=0", ["a/b", "c/d"]],
  ["a/b;q=0.2, c/d;q=0.3, e/f;q=0.1, g/h;q=0.25", ["c/d", "g/h", "a/b", "e/f"]],
  ["a/*, a/b", ["a/b", "a/*"]],
  ["*/*, a/*", ["a/*", "*/*"]],
  ["A/b", ["A/b"]],
  ["a/", ["a/"]],
  ["  a / b  ", ["a/b"]],
  [";q=1", []],
  ["a", []],
  ["", []],
])("orders %j", (header, expected) => {
  expect(order(header)).toEqual(expected);
});

it("reads parameters that have one value, whatever spaces are around", () => {
  expect(parseAccept("a/b;x=1=2; y = 3 ;__proto__=4")[0]?.parameters).toEqual({ y: "3", ["__proto__"]: "4" });
});

it("reads no more than 256 alternatives", () => {
  const header = Array.from({ length: 257 }, (_, i) => `a/b${i}`).join(",");
  expect(order(header)).toHaveLength(256);
  expect(order(header).at(-1)).toBe("a/b255");
});
