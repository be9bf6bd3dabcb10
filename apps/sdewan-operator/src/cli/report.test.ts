import { expect, it } from "vitest";
import { columns } from "./report.ts";

it("aligns columns, also of hundreds of thousands of rows", () => {
  expect(columns(["A", "B"], [["long", "x"], ["s"]])).toBe("A     B\nlong  x\ns\n");
  const rows = Array.from({ length: 300_000 }, () => ["a"]);
  expect(columns(["A"], rows)).toHaveLength(2 * 300_001);
});
