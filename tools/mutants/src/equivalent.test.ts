import { expect, it } from "vitest";
import { excuseOf, parseEquivalents } from "./equivalent.ts";
import { sitesOf } from "./mutants.ts";

const text = `# remark

packages/a/src/a.ts
- return a < b ? a : b;
+ return a <= b ? a : b;
Where both are equal,
either is the least.
`;
const least = (before: string) =>
  sitesOf({ path: "packages/a/src/a.ts", text: `${before}  return a < b ? a : b;\n` }).flat();

it("identifies an equivalent mutant by its text, even if its line moves", () => {
  const excuses = ["", "\n\n\n"].map((before) =>
    least(before).map((mutant) => excuseOf(mutant, parseEquivalents(text))?.reason),
  );
  expect(excuses).toEqual([
    ["Where both are equal, either is the least.", undefined],
    ["Where both are equal, either is the least.", undefined],
  ]);
});

it("does not excuse the same text in another file", () => {
  const [elsewhere] = sitesOf({ path: "packages/a/src/b.ts", text: "return a < b ? a : b;" }).flat();
  expect(elsewhere && excuseOf(elsewhere, parseEquivalents(text))).toBeUndefined();
});

it("requires a reason", () => {
  expect(() => parseEquivalents("a.ts\n- a\n+ b\n")).toThrow(
    'equivalent.txt: expected "- before", "+ after" and a reason after "a.ts"',
  );
});
