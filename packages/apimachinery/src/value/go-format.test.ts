import { expect, it } from "vitest";
import { formatGoNumber, quote, quoteList } from "./go-format.ts";

it.each([
  ['"\\', '"\\"\\\\"'],
  ["\n\r\t\b\f\v\u0007", '"\\n\\r\\t\\b\\f\\v\\a"'],
  ["\u0001\u001f\u007f", '"\\x01\\x1f\\x7f"'],
  ["é\u{1f642} e\u0301 <&>'`", '"é\u{1f642} e\u0301 <&>\'`"'],
  ["\u00a0\u00ad\u0085", '"\\u00a0\\u00ad\\u0085"'],
  ["\u200b\u2028\ufeff\ue000", '"\\u200b\\u2028\\ufeff\\ue000"'],
  ["\u{1fffe}\u{e0001}", '"\\U0001fffe\\U000e0001"'],
  ["half a pair: \ud83d.", '"half a pair: \ufffd."'],
])("quotes %j as Go does", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

it("quotes a list as Go does", () => {
  expect(quoteList(["a", 'b"'])).toBe('["a" "b\\""]');
  expect(quoteList([])).toBe("[]");
});

it("prints numbers as Go does", () => {
  expect(formatGoNumber(0.00001)).toBe("1e-05");
  expect(formatGoNumber(2.5)).toBe("2.5");
});
