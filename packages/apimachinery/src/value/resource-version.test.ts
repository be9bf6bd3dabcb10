import { expect, it } from "vitest";
import { compareResourceVersions } from "./resource-version.ts";

it("compares decimal strings of any length", () => {
  expect(compareResourceVersions("9", "10")).toBeLessThan(0);
  expect(compareResourceVersions("184467440737095516160", "184467440737095516159")).toBeGreaterThan(0);
  expect(compareResourceVersions("7", "7")).toBe(0);
});

it.each(["", "0", "01", "-1", "1a", " 1"])("does not compare %j", (odd) => {
  expect(compareResourceVersions(odd, "1")).toBeUndefined();
  expect(compareResourceVersions("1", odd)).toBeUndefined();
});
