import { describe, expect, it } from "vitest";
import { indexOfText, lastIndexOfText, splitText } from "./text-search.ts";

/** Longer than strings for the engine's own search. */
const long = (part: string): string => part.repeat(100);

const texts = [
  long("a"),
  `${long("ab")}c${long("ab")}`,
  `${long("aab")}${long("aab")}x`,
  `${long("aa")}b${long("aa")}`,
  `x${long("abc")}y${long("abc")}z${long("abc")}`,
  long("é😀"),
  "abcabc",
  "",
];
const parts = [long("ab"), long("aab"), long("abc"), long("aa"), `${long("a")}b${long("a")}`, long("é😀"), "ab", "c"];
const cases = texts.flatMap((text) => parts.map((part) => [text, part] as const));

describe("a text is found where the engine finds it", () => {
  it.each(cases)("%.10s… %.10s…", (text, part) => {
    for (const from of [0, 1, 50, 201]) {
      expect(indexOfText(text, part, from)).toBe(text.indexOf(part, from));
      expect(lastIndexOfText(text, part, from)).toBe(text.lastIndexOf(part, from));
    }
    expect(lastIndexOfText(text, part)).toBe(text.lastIndexOf(part));
    expect(splitText(text, part)).toEqual(text.split(part));
  });
});
