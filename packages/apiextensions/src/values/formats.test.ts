import { expect, it } from "vitest";
import { hasFormat } from "./formats.ts";

it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
  "the unknown format %s is never violated",
  (format) => {
    expect(hasFormat("anything", format)).toBe(true);
  },
);

it.each(["ipv4", "hostname", "email", "duration", "k8s-long-name", "uuid", "byte", "date-time", "cidr", "mac", "isbn"])(
  "a megabyte is quickly distinguished from the format %s",
  (format) => {
    const start = performance.now();
    for (const piece of ["a", "1", "a.", "1h", " ", "-", "\u0100"])
      hasFormat(`${piece.repeat(1_000_000 / piece.length)}!`, format);
    expect(performance.now() - start).toBeLessThan(3_000);
  },
);

const ssn = ["123-45-6789", "123 45 6789", "123456789"];
const dateTimes = [
  "2030-02-28T23:59:59Z",
  "2030-02-28t00:00:00.5z",
  "2030-02-28 19:00:00+01:00",
  "2030-02-28T12:00:00-0130",
];
const notDateTimes = [
  "2030-02-30T00:00:00Z",
  "2030-02-28T24:00:00Z",
  "2030-02-28T00:60:00Z",
  "2030-02-28T00:00:60Z",
  "2030-02-28",
];
const u = (version: string, variant: string): string => `01234567-89ab-${version}cde-${variant}123-456789abcdef`;
it.each<readonly [format: string, valid: readonly string[], invalid: readonly string[]]>([
  [
    "bsonobjectid",
    ["0123456789abcdefABCDEF01"],
    ["0123456789abcdefABCDEF0", "0123456789abcdefABCDEF012", "g".repeat(24)],
  ],
  [
    "creditcard",
    ["4111111111111111", "4111111111111", "5511111111111111", "6011111111111111", "371111111111111"],
    ["41111111111111", "5611111111111111", "6211111111111111"],
  ],
  ["email", ["a@b"], ["a", "a@", "@b", "a b@c", "a@b@c"]],
  ["hexcolor", ["#fff", "FFF000"], ["#ffff", "#ggg"]],
  ["hostname", ["a", "a.b-c.", "é.example", `${"a".repeat(63)}.b`], ["", "-a", "a-", "a..b", "a".repeat(64), "a_b"]],
  ["isbn", ["0-306-40615-2", "978-0-306-40615-7", "030640615X"], ["0-306-40615", "030640615Y"]],
  ["isbn10", ["030640615X"], ["9780306406157"]],
  ["isbn13", ["9780306406157"], ["030640615X"]],
  [
    "mac",
    ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab"],
    ["01:23:45:67:89", "01:23-45:67:89:ab", "0123.4567"],
  ],
  ["rgbcolor", ["rgb(1,2,3)", "rgb( 255 , 0 , 10 )"], ["rgb(1,2)", "rgb(1,2,3000)"]],
  ["ssn", ssn, ["12-345-6789"]],
  ["uuid", [u("9", "0"), u("a", "f").replaceAll("-", ""), u("1", "8").toUpperCase()], ["0123", `${u("1", "8")}0`]],
  ["uuid3", [u("3", "0")], [u("4", "8")]],
  ["uuid4", [u("4", "8"), u("4", "b")], [u("5", "8"), u("4", "c"), u("4", "7")]],
  ["uuid5", [u("5", "9"), u("5", "a")], [u("4", "8"), u("5", "c")]],
  ["byte", ["", "YQ==", "YWI=", "YWJj"], ["Y", "YQ=", "YQ", "Y Q="]],
  ["k8s-short-name", ["a", "a-1", "a".repeat(63)], ["", "-a", "a-", "A", "a.b", "a".repeat(64)]],
  ["k8s-long-name", ["a", "a-1.b", "a".repeat(253)], ["", "a.", ".a", "a..b", "A", "a".repeat(254)]],
  ["ipv4", ["10.0.0.1"], ["10.0.0", "::1", "256.0.0.1"]],
  ["ipv6", ["::1", "2001:db8::1"], ["10.0.0.1", "x"]],
  ["ip", ["10.0.0.1", "::1"], ["x"]],
  [
    "cidr",
    ["10.0.0.0/8", "10.0.0.0/32", "10.0.0.0/0", "::/128", "2001:db8::/64"],
    ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "::/129", "x/8", "10.0.0.0/0008"],
  ],
  ["duration", ["1s", "2h45m"], ["", "x", "1 fortnight"]],
  ["uri", ["https://example.com/a", "/a/b", "urn:a"], ["a b", "/a b", "a"]],
  ["date", ["2030-02-28", "2028-02-29"], ["2030-02-29", "2030-13-01", "2030-2-28", "2030-02-28T00:00:00Z"]],
  ["date-time", dateTimes, notDateTimes],
  ["datetime", dateTimes, notDateTimes],
  ["password", ["", "anything"], []],
])("the format %s", (format, valid, invalid) => {
  expect(valid.filter((text) => !hasFormat(text, format))).toEqual([]);
  expect(invalid.filter((text) => hasFormat(text, format))).toEqual([]);
});
