import fc from "fast-check";
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
    ["1e99999999999999999999", "unable to parse quantity's suffix"],
    ["1+5", "unable to parse quantity's suffix"],
    ["1 Gi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["abc", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1ki", "unable to parse quantity's suffix"],
    ["1mi", "unable to parse quantity's suffix"],
  ])("cannot be %j", (text, message) => {
    expect(() => Quantity.parse(text)).toThrow(message);
    expect(Quantity.isValid(text)).toBe(false);
  });

  it.each([
    ["an exponent far below", "1e-99999999", "1e-9"],
    ["an exponent far above", "1e99999999", "9223372036854775807"],
    ["the same below zero", "-1e99999999", "-9223372036854775807"],
    ["nothing, far below", `0e-${"9".repeat(15)}`, "0"],
    ["a million digits", "9".repeat(1_000_000), "9223372036854775807"],
    ["a million zeros before a digit", `${"0".repeat(1_000_000)}1`, "1"],
    ["a million zeros behind the point", `0.${"0".repeat(1_000_000)}1`, "1n"],
    ["nothing but zeros", `0.${"0".repeat(1_000_000)}`, "0"],
    ["a million zeros and an exponent that takes them away", `1${"0".repeat(1_000_000)}e-1000000`, "1e0"],
    ["the same and a little more", `1${"0".repeat(999_999)}1e-1000000`, "1000000001e-9"],
    ["a little of a large unit", `0.${"0".repeat(30)}1Ei`, "1n"],
    ["a million zeros and an exponent that moves the point there", `0.${"0".repeat(1_000_000)}1e1000001`, "1e0"],
  ])("holds what it can of %s", (_, text, canonical) => {
    const start = performance.now();
    const quantity = Quantity.parse(text);
    expect(quantity.compare(Quantity.parse(canonical))).toBe(0);
    expect(quantity.toString().length).toBeLessThan(25);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it("rejects a million digits with an error at the end", () => {
    const start = performance.now();
    expect(Quantity.isValid(`${"1".repeat(1_000_000)}!`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it("agrees with exact arithmetic however the digits and the point lie", () => {
    const digits = fc.stringMatching(/^\d{0,70}$/);
    const exponent = fc.integer({ min: -80, max: 80 });
    fc.assert(
      fc.property(digits, digits, exponent, (whole, fraction, e) => {
        fc.pre(whole + fraction !== "");
        const scale = 10n ** BigInt(fraction.length + 80);
        const nanos = BigInt(whole + fraction) * 10n ** BigInt(e + 80) * 1_000_000_000n;
        const exact = nanos / scale + (nanos % scale === 0n ? 0n : 1n);
        const most = (2n ** 63n - 1n) * 1_000_000_000n;
        expect(Quantity.parse(`${whole}.${fraction}e${e}`).nanos).toBe(exact > most ? most : exact);
      }),
    );
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
