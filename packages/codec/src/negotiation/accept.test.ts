import { expect, it } from "vitest";
import { parseAccept } from "./accept.ts";

const order = (header: string): string[] => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);

it("puts the greater weight first, and else keeps the order", () => {
  expect(order("a/b, c/d")).toEqual(["a/b", "c/d"]);
  expect(order("a/b;q=0.5, c/d;q=0.9")).toEqual(["c/d", "a/b"]);
  expect(order("a/b;q=x, c/d;q=0.1")).toEqual(["c/d", "a/b"]);
});

it("puts patterns last, as upstream does even where they weigh more", () => {
  expect(order("*/*, a/*, a/b;q=0.1")).toEqual(["a/b", "a/*", "*/*"]);
});

it("passes over what is no media type", () => {
  expect(order("garbage, a/b, a/b/c")).toEqual(["a/b"]);
  expect(order("*")).toEqual(["*/*"]);
});

it("keeps parameters but the weight", () => {
  expect(parseAccept("a/b; as=Table ;v=v1;q=0.3;empty=;odd")[0]?.parameters).toEqual({ as: "Table", v: "v1" });
});
