import { describe, expect, it } from "vitest";
import { Quantity } from "./quantity.ts";

describe("a quantity", () => {
  it.each([
    ["1000m", "1"],
    ["0.5", "500m"],
    ["1.5Gi", "1536Mi"],
    ["1024", "1024"],
    ["1024Ki", "1Mi"],
    ["0.5Ki", "512"],
    ["1e3", "1e3"],
    ["1000", "1k"],
    ["100E", "9223372036854775807"],
    ["12E6", "12e6"],
    ["1500000", "1500k"],
    ["-0.1", "-100m"],
    ["0.0000000001", "1n"],
    ["+5", "5"],
    [".5", "500m"],
    ["5.", "5"],
    ["0Gi", "0"],
    ["100k", "100k"],
    ["1e-3", "1e-3"],
    [2, "2"],
  ])("%s is written %s", (text, canonical) => {
    expect(Quantity.parse(text).toString()).toBe(canonical);
  });

  it.each([
    ["", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1 Gi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["abc", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1ki", "unable to parse quantity's suffix"],
    ["1mi", "unable to parse quantity's suffix"],
  ])("cannot be %j", (text, message) => {
    expect(() => Quantity.parse(text)).toThrow(message);
    expect(Quantity.isValid(text)).toBe(false);
  });

  it("compares and adds exactly, whatever the suffix", () => {
    const q = Quantity.parse;
    expect(q("1Gi").compare(q("1G"))).toBe(1);
    expect(q("1000m").compare(q("1"))).toBe(0);
    expect(q("0.1").add(q("0.2")).toString()).toBe("300m");
    expect(q("1Gi").add(q("1Mi")).toString()).toBe("1025Mi");
    expect(q("0").add(q("1Gi")).toString()).toBe("1Gi");
    expect(q("1").subtract(q("250m")).toString()).toBe("750m");
    expect(q("0").isZero).toBe(true);
  });

  it("rounds away from zero where a whole number is asked for", () => {
    expect(Quantity.parse("1500m").value).toBe(2n);
    expect(Quantity.parse("-1500m").value).toBe(-2n);
    expect(Quantity.parse("1u").milliValue).toBe(1n);
    expect(Quantity.parse("2500m").toNumber()).toBe(2.5);
  });

  it("is its text in JSON", () => {
    expect(JSON.stringify({ cpu: Quantity.parse("1000m") })).toBe('{"cpu":"1"}');
  });
});
