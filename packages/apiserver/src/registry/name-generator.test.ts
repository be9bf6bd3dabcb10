import { systemRandom } from "@kubewright/clock";
import { expect, it } from "vitest";
import { generateName } from "./name-generator.ts";

it.each([
  ["web-", "web-"],
  ["", ""],
  ["x".repeat(58), "x".repeat(58)],
  ["x".repeat(59), "x".repeat(58)],
])("adds five characters that form no words to %j", (base, kept) => {
  const name = generateName(base, systemRandom);
  expect(name.slice(0, -5)).toBe(kept);
  expect(name.slice(-5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

it("uses every character, and generates other names each time", () => {
  const names = Array.from({ length: 400 }, () => generateName("", systemRandom));
  expect(new Set(names).size).toBeGreaterThan(390);
  expect(new Set(names.join("")).size).toBe(27);
});
