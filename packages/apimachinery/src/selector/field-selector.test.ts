import { describe, expect, it } from "vitest";
import { escapeFieldValue, fieldSelectorFrom, parseFieldSelector } from "./field-selector.ts";

const pod: Readonly<Record<string, string>> = { "metadata.name": "a,b", "status.phase": "Running" };
const matches = (text: string): boolean => parseFieldSelector(text).matches((field) => pod[field]);

describe("a field selector", () => {
  it("compares the values of fields, with absent ones as empty", () => {
    expect(matches("status.phase=Running")).toBe(true);
    expect(matches("status.phase==Running,spec.nodeName=")).toBe(true);
    expect(matches("status.phase!=Running")).toBe(false);
    expect(matches("spec.nodeName!=n")).toBe(true);
    expect(matches("")).toBe(true);
    expect(matches(",=")).toBe(true);
  });

  it("unescapes values, and escapes them in its text", () => {
    expect(matches("metadata.name=a\\,b")).toBe(true);
    expect(parseFieldSelector("a=b\\=\\\\,c!=d").toString()).toBe("a=b\\=\\\\,c!=d");
    expect(escapeFieldValue("a,b=c\\")).toBe("a\\,b\\=c\\\\");
    expect(fieldSelectorFrom({ a: "x,y" }).toString()).toBe("a=x\\,y");
  });

  it("returns the exact value that it requires", () => {
    const selector = parseFieldSelector("metadata.name=x,a!=b");
    expect(selector.requiresExactMatch("metadata.name")).toBe("x");
    expect(selector.requiresExactMatch("a")).toBeUndefined();
    expect(selector.isEmpty).toBe(false);
  });

  it.each([
    ["foo", "invalid selector: 'foo'; can't understand 'foo'"],
    ["a=\\x", "invalid field selector: invalid escape sequence: \\x"],
    ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
    ["metadata.name=\\", "invalid field selector: invalid escape sequence: \\"],
  ])("rejects %s like the API server", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });
});
