import { expect, it } from "vitest";
import { indexAt, lengthOf, offsetOf } from "./code-points.ts";

it.each([
  ["", 0],
  ["abc", 3],
  ["é😀", 2],
  ["a".repeat(200), 200],
  ["ab😀".repeat(100), 300],
  [`${"é".repeat(150)}😀`, 151],
  ["\ud800".repeat(100), 100],
])("%.8s… has its code points at the right offsets", (text, count) => {
  const points = [...text];
  expect(lengthOf(text)).toBe(count);
  expect(points.length).toBe(count);
  for (let i = 0, offset = 0; i < points.length; offset += (points[i] ?? "").length, i++) {
    expect(offsetOf(text, i)).toBe(offset);
    expect(indexAt(text, offset)).toBe(i);
  }
  expect(offsetOf(text, count)).toBe(text.length);
  expect(offsetOf(text, count + 7)).toBe(text.length);
});
