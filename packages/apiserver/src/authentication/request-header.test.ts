import { expect, it } from "vitest";
import { extraOf, repeatedHeaders } from "./request-header.ts";

it("finds every value of every header, in any case", () => {
  const rawHeaders = ["X-Remote-Group", "dev", "Accept", "*/*", "x-remote-group", "ops", "half"];
  expect([...repeatedHeaders({ rawHeaders })]).toEqual([
    ["x-remote-group", ["dev", "ops"]],
    ["accept", ["*/*"]],
  ]);
});

it.each<[string, readonly string[], Record<string, readonly string[]>, Record<string, readonly string[]>]>([
  [
    "by the prefix",
    ["X-Remote-Extra-"],
    { "x-remote-extra-scopes": ["a", "b"], "x-other": ["c"] },
    { scopes: ["a", "b"] },
  ],
  ["of several prefixes, together", ["X-A-", "X-B-"], { "x-a-k": ["1"], "x-b-k": ["2"] }, { k: ["1", "2"] }],
  ["unescaped", ["x-"], { "x-example.org%2fscope": ["a"] }, { "example.org/scope": ["a"] }],
  ["unchanged if the escape is not valid", ["x-"], { "x-100%": ["a"] }, { "100%": ["a"] }],
])("finds extra attributes of a user: %s", (_how, prefixes, headers, extra) => {
  expect(extraOf(new Map(Object.entries(headers)), prefixes)).toEqual(extra);
});

it("treats names of object members like others", () => {
  const extra = extraOf(
    new Map([
      ["x-__proto__", ["a"]],
      ["x-constructor", ["b"]],
    ]),
    ["x-"],
  );
  expect(Object.entries(extra)).toEqual([
    ["__proto__", ["a"]],
    ["constructor", ["b"]],
  ]);
  expect(Object.getPrototypeOf(extra)).toBe(Object.prototype);
});

it("reads a hundred thousand headers with one name in linear time", () => {
  const rawHeaders = Array.from({ length: 100_000 }, () => ["Impersonate-Extra-A", "x"]).flat();
  const start = process.cpuUsage();
  const headers = repeatedHeaders({ rawHeaders });
  expect(extraOf(headers, ["impersonate-extra-"]).a).toHaveLength(100_000);
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
