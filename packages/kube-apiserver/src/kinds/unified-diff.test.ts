import { expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

it("shows changed lines with three around, and where they are", () => {
  const before = lines(1, 20).join("\n");
  const after = [...lines(1, 9), "ten", ...lines(11, 20)].join("\n");

  expect(unifiedDiff(before, after)).toBe("@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
});

it("puts changes that are far from each other in parts of their own", () => {
  const after = ["one", ...lines(2, 19), "twenty"].join("\n");

  expect(unifiedDiff(lines(1, 20).join("\n"), after)).toBe(
    "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+twenty\n",
  );
});

it("says nothing of equal texts", () => {
  expect(unifiedDiff("a\nb", "a\nb")).toBe("");
});
