import { expect, it } from "vitest";
import { editsOf, parses } from "./edits.ts";

const broken = (text: string, operator?: string): readonly string[] =>
  editsOf("a.ts", text)
    .filter((edit) => operator === undefined || edit.operator === operator)
    .map(({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end));

it.each([
  ["comparison", "a < b", ["a <= b", "a >= b"]],
  ["comparison", "a <= b", ["a < b", "a > b"]],
  ["comparison", "a > b", ["a >= b", "a <= b"]],
  ["comparison", "a >= b", ["a > b", "a < b"]],
  ["comparison", "a === b", ["a !== b"]],
  ["comparison", "a !== b", ["a === b"]],
  ["logical", "a && b", ["a || b"]],
  ["logical", "a || b", ["a && b"]],
  ["condition", "if (a) b();", ["if (!(a)) b();"]],
  ["condition", "while (a && b) c();", ["while (!(a && b)) c();"]],
  ["condition", "a ? b : c", ["!(a) ? b : c"]],
  ["condition", "if (a < b) c();", []],
  ["condition", "if (!a) c();", []],
  ["negation", "!a", ["a"]],
  ["boolean", "f(true)", ["f(false)"]],
  ["boolean", "let a: true = b;", []],
  ["sum", "a + b", ["a - b"]],
  ["sum", "a -= b", ["a += b"]],
  ["sum", '"a" + b', []],
  ["statement", "f(a); b = c;", ["; b = c;"]],
  ["statement", "if (a) f();", ["if (a) ;"]],
  ["statement", "async () => { await f(); }", ["async () => {  }"]],
  ["statement", 'this.#log.info({}, "said");', []],
  ["statement", "class A extends B { constructor() { super(); } }", []],
  ["guard", "function f() { if (a) return; b(); }", ["function f() {  b(); }"]],
  ["guard", "for (;;) { if (a) { b(); continue; } c(); }", ["for (;;) {  c(); }"]],
  ["guard", "if (a) { return b; } else c();", []],
  ["list", "f([a, b])", ["f([])"]],
  ["list", "[a, b] = [b, a];", ["[a, b] = [];"]],
  ["word", 'a === "b"', ['a === ""']],
  ["word", 'typeof a === "string"', []],
  ["word", 'throw new Error("said")', []],
  ["number", "a + 1_000", ["a + 1001", "a + 999"]],
  ["number", "f(0)", ["f(1)", "f((-1))"]],
  ["number", "a = { 1: b }", []],
  ["fallback", "a ?? b", ["a"]],
  ["fallback", "a[b] ?? c", ["a[b]"]],
  ["fallback", 'a[0] ?? ""', []],
])("%s: %s", (operator, text, expected) => {
  expect(broken(text, operator)).toEqual(expected);
});

it("leaves types, imports and exports as they are", () => {
  expect(broken('import a from "a"; export { b } from "b"; type C = "c" | 1 | true; interface D { e: ["f"] }')).toEqual(
    [],
  );
});

it("detects text that does not parse", () => {
  expect(parses("const a: number = 1;")).toBe(true);
  expect(parses("const a = = 1;")).toBe(false);
});
