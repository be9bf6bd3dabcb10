import { describe, expect, it } from "vitest";
import { compileRegExp } from "./regular-expression.ts";

const test = (pattern: string, text: string): boolean => {
  const compiled = compileRegExp(pattern);
  return compiled instanceof RegExp && compiled.test(text);
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
  ])("says in Go's words what is wrong: %s", (pattern, message) => {
    expect(compileRegExp(pattern)).toEqual({ error: `error parsing regexp: ${message}` });
  });
});
