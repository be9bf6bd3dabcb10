import { expect, it } from "vitest";
import { formatIndexes, parseIndexes } from "./job-status.ts";

it("writes and reads completed indexes as upstream does", () => {
  expect(formatIndexes([5, 0, 1, 3, 4, 5])).toBe("0,1,3-5");
  expect(parseIndexes("0,1,3-5")).toEqual([0, 1, 3, 4, 5]);
  expect(parseIndexes(undefined)).toEqual([]);
});
