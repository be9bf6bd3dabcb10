import { describe, expect, it } from "vitest";
import { compilePattern, isBadPattern, MatchingTooCostlyError } from "./regular-expression.ts";

const test = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern);
  return !isBadPattern(compiled) && compiled.test(text);
};

describe("an expression in RE2's syntax", () => {
  it.each([
    ["^a+$", "aaa"],
    ["(?i)ABC", "xabcx"],
    ["(?i:a)b", "Ab"],
    ["(?s)a.b", "a\nb"],
    ["(?m)^b$", "a\nb\nc"],
    ["[[:alpha:]]+[[:^digit:]]", "ab"],
    ["[]a]", "]"],
    ["^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$", "a&b.c-`"],
    ["[^\\d\\s]", "x"],
    ["(?P<name>x)(?<other>y)", "xy"],
    ["(?P<name>x)(?P<name>y)", "xy"],
    ["\\Q.*\\E", "a.*b"],
    ["\\x{1F600}\\x41", "😀A"],
    ["\\pL\\p{Greek}", "aα"],
    ["\\A\\w+\\z", "word"],
    ["a{2,3}?", "aa"],
    ["x{", "x{"],
  ])("matches: %s", (pattern, text) => {
    expect(test(pattern, text)).toBe(true);
  });

  it.each([
    ["a.b", "a\nb"],
    ["^b$", "a\nb"],
    ["(?i:a)b", "aB"],
    ["[^[:space:]]", " "],
  ])("does not match: %s", (pattern, text) => {
    expect(test(pattern, text)).toBe(false);
  });

  it.each([
    ["[a", "missing closing ]: `[a`"],
    ["(a", "missing closing ): `(a`"],
    ["a)", "unexpected ): `a)`"],
    ["*", "missing argument to repetition operator: `*`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["\\y", "invalid escape sequence: `\\y`"],
  ])("reports Go's error: %s", (pattern, message) => {
    expect(compilePattern(pattern)).toEqual({ error: `error parsing regexp: ${message}` });
  });

  it.each([
    ["(a{1000}){1000}", "invalid repeat count: `{1000}`"],
    ["(?:a{1000}|b{1000})".repeat(50), "expression too large"],
    ["a".repeat(60_000), "expression too large"],
    [`${"(".repeat(2_000)}a${")".repeat(2_000)}`, "expression nests too deeply"],
  ])("is rejected before it takes seconds to compile: %.30s", (pattern, message) => {
    const start = performance.now();
    expect(compilePattern(pattern)).toEqual({ error: `error parsing regexp: ${message}` });
    expect(performance.now() - start).toBeLessThan(500);
  });
});

it.each([
  ["the longest", "a".repeat(50_000), false],
  ["one that is too long", "a".repeat(50_001), true],
  ["a long group once", `(${"a".repeat(20_000)}){1}`, false],
  ["a long group three times", `(${"a".repeat(20_000)}){3}`, true],
  ["a long group three times behind a class", `[^](]\\](${"a".repeat(20_000)}){3}`, true],
  ["a group that is long by its classes", `(${"[ab]".repeat(12_000)}){2}`, true],
  ["a long text behind a class that does not end", `[${"a".repeat(100)}`, true],
  ["as many repetitions as may be", "(?:a{10}){100}", false],
  ["one more", "(?:a{11}){91}", true],
])("accepts %s, or not", (_what, pattern, isRefused) => {
  expect(isBadPattern(compilePattern(pattern))).toBe(isRefused);
});

it("is compiled once", () => {
  expect(compilePattern("compiled (once)")).toBe(compilePattern("compiled (once)"));
  expect(compilePattern("compiled (once")).toBe(compilePattern("compiled (once"));
});

const compile = (source: string) => {
  const compiled = compilePattern(source);
  if (isBadPattern(compiled)) throw new Error(compiled.error);
  return compiled;
};

describe("matching", () => {
  it.each([
    ["^(a+)+$", `${"a".repeat(100_000)}!`],
    ["^(a|a)*b$", "a".repeat(100_000)],
    ["(.*)*(.*)*x", "a".repeat(100_000)],
    ["^([a-zA-Z0-9_\\.\\-])+@(([a-zA-Z0-9\\-])+\\.)+([a-zA-Z0-9]{2,4})+$", `a@${"a".repeat(100_000)}!`],
    ["x*y", "x".repeat(100_000)],
    [`^${"[a-z]*".repeat(10)}!$`, "a".repeat(100_000)],
  ])("takes time by the length of the text, not by the number of paths: %s", (source, text) => {
    const start = performance.now();
    expect(compile(source).test(text)).toBe(false);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it("returns the leftmost match and all that follow, like Go", () => {
    expect(compile("b|ab").find("xab")).toBe("ab");
    expect(compile("z").find("xab")).toBe("");
    expect(compile("a*").findAll("baac", -1)).toEqual(["", "aa", ""]);
    expect(compile("a").findAll("aaaa", 2)).toEqual(["a", "a"]);
    expect(compile("a").findAll("aaaa", 0)).toEqual([]);
  });

  it("rejects texts that meet too many instructions too often", () => {
    expect(() => compile("^[ab]*a[ab]{1000}$").test("ab".repeat(500_000))).toThrow(MatchingTooCostlyError);
  });

  it("ends once many matches together have blocked the event loop, and continues in its next turn", async () => {
    const costly = compile("[ab]*a[ab]{900}(?:c|d)");
    const text = Array.from({ length: 50_000 }, (_, i) => ((i * i) % 7 < 3 ? "a" : "b")).join("");
    const start = performance.now();
    expect(() => {
      for (let i = 0; i < 1_000_000; i++) costly.findAll(text, -1);
    }).toThrow(MatchingTooCostlyError);
    expect(performance.now() - start).toBeLessThan(8_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(compile("^a").test("ab")).toBe(true);
  });
});
