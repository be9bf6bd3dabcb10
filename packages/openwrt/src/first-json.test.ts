import { describe, expect, it } from "vitest";
import { parseFirstJson } from "./first-json.ts";

describe("parseFirstJson", () => {
  it("reads the first of several documents", () => {
    expect(parseFirstJson('{"a":"}{"}{"b":1}\n')).toEqual({ a: "}{" });
    expect(parseFirstJson('[{"a":[]}]{"b":1}')).toEqual([{ a: [] }]);
  });

  it("throws when there is none", () => {
    expect(() => parseFirstJson("hello")).toThrow(SyntaxError);
    expect(() => parseFirstJson('{"a":')).toThrow(SyntaxError);
  });
});
