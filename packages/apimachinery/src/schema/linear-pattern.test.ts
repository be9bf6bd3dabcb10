import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesPattern } from "./formats.ts";
import { linearPattern } from "./linear-pattern.ts";

it.each([
  ["(a+)+$", "a", "!", false],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a", "", false],
  ["^([a-z0-9]+[-.]?)+$", "a", "!", false],
  ["a*a*a*a*a*b", "a", "", false],
  ["(x+x+)+y", "x", "y", true],
  ["(a|a|a|a|a|a|a|a)*!", "a", "", false],
  [`${"a*".repeat(30)}!`, "a", "", false],
])("matches %s in linear time", (pattern, letter, end, isMatch) => {
  expect(matchesPattern(pattern, letter.repeat(16) + end)).toBe(isMatch);
  expect(matchesPattern(pattern, letter.repeat(50_000) + end)).toBe(isMatch);
});

it("accepts texts that are too long for a large pattern", () => {
  expect(matchesPattern("^(?:[a-z]{500}-?){3}$", `${"a".repeat(1_499)}!`)).toBe(false);
  expect(matchesPattern("(?:[a-z]?){900}!$", "a".repeat(100_000))).toBe(true);
});

it.each(["(?=a)", String.raw`(a)\1`, "(?i:(?=a))", "(?:(?:a{99}){99}){99}"])("does not express %s", (pattern) => {
  expect(linearPattern(pattern)).toBeUndefined();
});

const atom = fc.constantFrom(
  "a",
  "b",
  "S",
  ".",
  "[ab]",
  "[^a]",
  String.raw`\d`,
  String.raw`\w`,
  String.raw`[\]\-b]`,
  "é",
  String.raw`\u{61}`,
  String.raw`\.`,
  String.raw`\x61`,
  String.raw`\p{L}`,
  "💧",
);
const pattern = fc.letrec<{ whole: string; sequence: string; part: string }>((tie) => ({
  whole: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((options) => options.join("|")),
  sequence: fc.array(tie("part"), { maxLength: 3 }).map((parts) => parts.join("")),
  part: fc.oneof(
    { depthSize: "small" },
    atom,
    fc.constantFrom("^", "$", String.raw`\b`, String.raw`\B`),
    fc
      .tuple(
        fc.oneof(
          atom,
          fc
            .tuple(fc.constantFrom("(", "(?:", "(?<n>", "(?i:", "(?m:", "(?s:", "(?is-m:", "(?-i:"), tie("whole"))
            .map(([open, inner]) => `${open}${inner})`),
        ),
        fc.constantFrom("", "*", "+", "?", "+?", "{2}", "{0}", "{1,}", "{0,2}", "{1,3}?"),
      )
      .map((both) => both.join("")),
  ),
})).whole;
const text = fc
  .array(fc.constantFrom("a", "A", "b", "1", "\n", "\u2028", "-", ".", "]", "é", " "), { maxLength: 8 })
  .map((letters) => letters.join(""));

it("matches characters that consist of two code units", () => {
  expect(linearPattern("^.💧?[💧]{2}$")?.("💧💧💧")).toBe(true);
  expect(linearPattern("^.{2}$")?.("💧")).toBe(false);
});

// Node 22 has no flags for groups.
it.skipIf(Number.parseInt(process.versions.node, 10) < 23)("matches long texts with the flags of a group", () => {
  const address = (length: number): string => "A1-".repeat(length);
  expect(matchesPattern("^(?i:[a-z0-9]+-)*$", address(30_000))).toBe(true);
  expect(matchesPattern("(?i)^([a-z0-9]+-)*$", `${address(30_000)}!`)).toBe(false);
  expect(matchesPattern("^(?i:(?-i:[a-z0-9]+)-)*$", address(30_000))).toBe(false);
  expect(matchesPattern("(?m)^(?:a+)+$", `${"b".repeat(50_000)}\na\nb`)).toBe(true);
  expect(matchesPattern("(?s)^(?:a.?)+$", `${"a".repeat(50_000)}\n`)).toBe(true);
});

it("agrees with RegExp", () => {
  fc.assert(
    fc.property(pattern, text, (source, value) => {
      let expression: RegExp;
      try {
        expression = new RegExp(source, "u");
      } catch {
        return; // a name that occurs twice, or flags on Node 22
      }
      expect(linearPattern(source)?.(value)).toBe(expression.test(value));
    }),
    { numRuns: 3_000 },
  );
});
