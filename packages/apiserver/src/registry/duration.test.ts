import { describe, expect, it } from "vitest";
import { ageCell, humanDuration } from "./duration.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("humanDuration", () => {
  it.each([
    [-2 * second, "<invalid>"],
    [-1_999, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [999, "0s"],
    [119_999, "119s"],
    [2 * minute, "2m"],
    [3 * minute + 5 * second, "3m5s"],
    [10 * minute - second, "9m59s"],
    [10 * minute + 5 * second, "10m"],
    [3 * hour - second, "179m"],
    [3 * hour, "3h"],
    [3 * hour + 5 * minute, "3h5m"],
    [8 * hour - minute, "7h59m"],
    [8 * hour, "8h"],
    [8 * hour + 5 * minute, "8h"],
    [2 * day - second, "47h"],
    [2 * day, "2d"],
    [2 * day + 3 * hour, "2d3h"],
    [8 * day - hour, "7d23h"],
    [8 * day, "8d"],
    [9 * day + 3 * hour, "9d"],
    [730 * day - second, "729d"],
    [730 * day, "2y"],
    [2 * 365 * day + 30 * day, "2y30d"],
    [8 * 365 * day - day, "7y364d"],
    [8 * 365 * day, "8y"],
    [9 * 365 * day + day, "9y"],
  ])("shows %d ms as %s", (ms, expected) => {
    expect(humanDuration(ms)).toBe(expected);
  });
});

describe("ageCell", () => {
  it("does not know the age of what has no timestamp", () => {
    for (const nothing of [undefined, null, "", "yesterday"]) expect(ageCell(nothing, 0)).toBe("<unknown>");
  });

  it("counts from the timestamp", () => {
    expect(ageCell("1970-01-01T00:00:00Z", 5_000)).toBe("5s");
  });
});
