import { expect, it } from "vitest";
import {
  isCIdentifier,
  isConfigMapKey,
  isRelaxedEnvVarName,
  isValidPercentage,
  isValidPortName,
  isValidPortNumber,
  isWildcardDns1123Subdomain,
} from "./names.ts";

it("accepts a subdomain that starts with a wildcard", () => {
  expect(isWildcardDns1123Subdomain("*.example.com")).toEqual([]);
  expect(isWildcardDns1123Subdomain("*example.com")).toHaveLength(1);
});

it("rejects a ConfigMap key that looks like a directory", () => {
  expect(isConfigMapKey("a.b_C-1")).toEqual([]);
  expect(isConfigMapKey("..")).toEqual(["must not be '..'"]);
  expect(isConfigMapKey("..x")).toEqual(["must not start with '..'"]);
  expect(isConfigMapKey("a/b")).toEqual([
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ]);
});

it("accepts short port names with a letter", () => {
  expect(isValidPortName("http-1")).toEqual([]);
  expect(isValidPortName("80")).toEqual(["must contain at least one letter (a-z)"]);
  expect(isValidPortName("a--b-")).toEqual([
    "must not contain consecutive hyphens",
    "must not begin or end with a hyphen",
  ]);
});

it.each<[what: string, errors: (value: string) => string[], good: readonly string[], bad: readonly string[]]>([
  ["identifiers of C", isCIdentifier, ["a", "_A9"], ["", "9a", "a-b", "a b"]],
  ["names of variables", isRelaxedEnvVarName, ["a", "9-.: "], ["", "a=b", "\u00e9", "\t"]],
  ["percentages", isValidPercentage, ["0%", "100%"], ["", "%", "1", "1.5%", "-1%", "1%%"]],
  ["numbers of ports", (value) => isValidPortNumber(Number(value)), ["1", "65535"], ["0", "65536", "-1", "NaN"]],
  ["names of ports", isValidPortName, ["a".repeat(15)], ["a".repeat(16), "", "A", "-a"]],
])("treats %s as upstream does", (_, errors, good, bad) => {
  expect(good.filter((value) => errors(value).length > 0)).toEqual([]);
  expect(bad.filter((value) => errors(value).length === 0)).toEqual([]);
});
