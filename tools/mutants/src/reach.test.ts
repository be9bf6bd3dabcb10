import { runInNewContext } from "node:vm";
import ts from "typescript";
import { expect, it } from "vitest";
import { type Reached, reaches, recording } from "./reach.ts";

const text = `#!/usr/bin/env node
function f(a) {
  if (a > 1) return "large";
  else if (a > 0) one();
  for (const each of [a]) noted(each);
  return [a].map((each) => ({ each }))[0].each;
}
function one() { switch (2) { case 1: return "first"; default: return "other"; } }
const noted = (each) => each;
const late = (each) => each + 100;
result = f(input);
`;

function reachedBy(input: number): { readonly result: unknown; readonly lines: readonly string[] } {
  const context: { input: number; result?: unknown; reachedRegions?: Record<string, Uint8Array> } = { input };
  runInNewContext(recording("f.ts", text), context);
  const reached: Reached = { "f.ts": context.reachedRegions?.["f.ts"]?.join("") ?? "" };
  const words = [
    "a > 1",
    '"large"',
    "one();",
    "noted(each)",
    "{ each }",
    '"first"',
    '"other"',
    "each + 100",
    "f(input)",
  ];
  return { result: context.result, lines: words.filter((word) => reaches(reached, "f.ts", text, text.indexOf(word))) };
}

it("records statements, branches without braces and values of arrow functions", () => {
  expect(reachedBy(2)).toEqual({ result: "large", lines: ["a > 1", '"large"', "f(input)"] });
  expect(reachedBy(1).lines).toEqual(["a > 1", "one();", "noted(each)", "{ each }", '"other"', "f(input)"]);
  expect(reachedBy(0)).toEqual({ result: 0, lines: ["a > 1", "noted(each)", "{ each }", "f(input)"] });
});

it("reports no regions of files that were not loaded, and does not change files without statements", () => {
  expect(reaches({}, "f.ts", text, text.indexOf("a > 1"))).toBe(false);
  expect(recording("empty.ts", "// nothing\n")).toBe("// nothing\n");
});

it("keeps line numbers and adds text that parses", () => {
  const typed =
    "import { a } from './a.ts';\nclass B extends a {\n  constructor() {\n    super();\n  }\n  c = async <T>(d: T) => await d as T;\n}\nx: for (;;) { break x; }\n";
  const recorded = recording("b.ts", typed);
  expect(recorded.split("\n")).toHaveLength(typed.split("\n").length);
  expect(ts.transpileModule(recorded, { reportDiagnostics: true }).diagnostics).toEqual([]);
});
