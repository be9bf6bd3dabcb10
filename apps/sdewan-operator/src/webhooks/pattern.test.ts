import { expect, it } from "vitest";
import { matchesPattern } from "./pattern.ts";

it.each([
  ["app-intent", "app-intent", true],
  ["app-intent", "app-intent2", false],
  ["App-intent", "app-intent", false],
  ["*", "", true],
  ["", "", true],
  ["", "a", false],
  ["firewall*", "firewallzones", true],
  ["firewall*", "mwan3rules", false],
  ["*rules", "firewallrules", true],
  ["*rule", "firewallrules", false],
  ["a*b*c", "axxbyybc", true],
  ["a*b*c", "axxbyyb", false],
  ["cnf?", "cnf1", true],
  ["cnf?", "cnf", false],
  ["?", "𝔸", true],
  ["a.c", "abc", false],
  ["[ab]", "a", false],
])("%j matches %j: %s", (pattern, text, is) => {
  expect(matchesPattern(pattern, text)).toBe(is);
});

it("is fast for input that makes backtracking matchers slow", () => {
  expect(matchesPattern(`${"*a".repeat(5_000)}b`, "a".repeat(63))).toBe(false);
});
