import { describe, expect, it } from "vitest";
import { parseFirstJson } from "./first-json.ts";

describe("parseFirstJson", () => {
  it("reads the first of several documents", () => {
    expect(parseFirstJson('{"a":"}{"}{"b":1}\n')).toEqual({ a: "}{" });
    expect(parseFirstJson('[{"a":[]}]{"b":1}')).toEqual([{ a: [] }]);
  });

  it("throws without a document", () => {
    expect(() => parseFirstJson("hello")).toThrow(SyntaxError);
    expect(() => parseFirstJson('{"a":')).toThrow(SyntaxError);
  });
});

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const list = (values: number): string => `[${"0,".repeat(values - 1)}0]`; // counted by its bracket and commas
it.each<[string, string, string | undefined]>([
  ["nested 64 levels", nested(64), undefined],
  ["nested 65 levels", nested(65), "is nested more than 64 levels deep"],
  ["nested 64 levels, twice", `[${nested(63)},${nested(63)}]`, undefined],
  ["of 250,000 values", list(250_000), undefined],
  ["of 250,001 values", list(250_001), "more than 250000 values"],
  ["of brackets and commas that are text", JSON.stringify(["[{,".repeat(100_000), '\\"[[['.repeat(100)]), undefined],
  ["of a text that does not end", `["${"[".repeat(100)}`, "JSON"],
])("checks the limits for a document: %s", (_what, text, error) => {
  if (error === undefined) expect(parseFirstJson(text)).toEqual(JSON.parse(text));
  else expect(() => parseFirstJson(text)).toThrow(error);
});

it.each([
  ['{"a":"}"} {"b":1}', { a: "}" }],
  ['{"a":"\\"}"}{', { a: '"}' }],
  ["[[1],[2]]trailing", [[1], [2]]],
])("reads only the first document of %s", (text, document) => {
  expect(parseFirstJson(text)).toEqual(document);
});
