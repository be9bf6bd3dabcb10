import { expect, it } from "vitest";
import type { Manifest } from "./manifest.ts";
import { publishingOrder } from "./order.ts";

const one = (name: string, dependencies: readonly string[] = [], more: Partial<Manifest> = {}): Manifest => ({
  name,
  version: "0.1.0",
  dependencies: Object.fromEntries(dependencies.map((each) => [each, "0.1.0"])),
  ...more,
});

it("publishes dependencies first, regardless of names", () => {
  const packages = [one("a", ["c", "left-pad"]), one("b"), one("c", ["d"]), one("d"), one("e", ["b", "a"])];
  expect(publishingOrder(packages, new Set())).toEqual([["b", "d"], ["c"], ["a"], ["e"]]);
});

it("includes peer dependencies but not development dependencies", () => {
  const peer = one("a", [], { peerDependencies: { b: "0.1.0" } });
  const developed = one("b", [], { devDependencies: { a: "0.1.0", hidden: "0.1.0" } });
  expect(publishingOrder([peer, developed], new Set(["hidden"]))).toEqual([["b"], ["a"]]);
});

it("refuses packages that users could not install", () => {
  expect(() => publishingOrder([one("a", ["hidden"])], new Set(["hidden"]))).toThrow(
    "a depends on hidden, which is private, so users could not install it",
  );
  expect(() => publishingOrder([one("a", ["b"]), one("b", ["a"]), one("c")], new Set())).toThrow(
    "dependency cycle: a, b",
  );
});
