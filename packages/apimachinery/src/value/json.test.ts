import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "./json.ts";

describe("JSON with big integers", () => {
  it("survives reading and writing unrounded", () => {
    const text = '{"big":9223372036854775807,"small":-9223372036854775808,"id":"12345678901234567890","f":0.1}';
    expect(parseJson(text)).toEqual({
      big: 9223372036854775807n,
      small: -9223372036854775808n,
      id: "12345678901234567890",
      f: 0.1,
    });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it("keeps numbers that fit numbers, however long their text", () => {
    expect(parseJson("[9007199254740991, 1234567890.12345678901, 1e300]")).toEqual([
      9007199254740991, 1234567890.1234567, 1e300,
    ]);
  });

  it("writes with an indent, and undefined as null", () => {
    expect(stringifyJson({ a: 12345678901234567890n }, 2)).toBe('{\n  "a": 12345678901234567890\n}');
    expect(stringifyJson(undefined)).toBe("null");
  });

  it("rejects texts that are not JSON and circular references", () => {
    expect(() => parseJson("{1234567890123456}")).toThrow(SyntaxError);
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(() => stringifyJson(loop)).toThrow(TypeError);
  });

  it("reads back whatever it writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });
});
