import { expect, it } from "vitest";
import { formatGoNumber, formatGoValue, quote } from "./go-format.ts";

it("quotes as Go does", () => {
  expect(quote('a"b\\c\n\u0001é')).toBe('"a\\"b\\\\c\\n\\x01é"');
});

it("prints composite values as Go does", () => {
  expect(formatGoValue({ b: [1, "x"], a: null })).toBe("map[a:<nil> b:[1 x]]");
  expect(formatGoNumber(0.00001)).toBe("1e-05");
  expect(formatGoNumber(2.5)).toBe("2.5");
});
