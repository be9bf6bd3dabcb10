import { expect, it } from "vitest";
import { isIgnored, parseIgnoredTexts, wasNeeded } from "./ignored-texts.ts";

const rows = parseIgnoredTexts(
  [
    "| `/json: cannot unmarshal \\w+ into Go \\w+(?=[ ,]|$)/` | `/\\S+: expected \\w+, got \\w+/` | Go's types |",
    "| `/never said/` | `/nor this/` | nobody |",
  ].join("\n"),
);
const differs = (real: string, ours: string, path = "body.message"): boolean => isIgnored({ path, real, ours }, rows);

it("accepts our text in place of upstream's", () => {
  expect(differs("a: json: cannot unmarshal x into Go string", "a: data: expected string, got number")).toBe(true);
  expect(rows.map(wasNeeded)).toEqual([true, false]);
});

it.each([
  ["different surrounding text", "a: json: cannot unmarshal x into Go string", "b: data: expected string, got number"],
  ["more than the words", "json: cannot unmarshal x into Go string", "data: expected string, got number, and more"],
  ["other words of ours", "json: cannot unmarshal x into Go string", "that is wrong"],
  ["a text without such words", "not found", "no such thing"],
])("does not accept %s", (_what, real, ours) => {
  expect(differs(real, ours)).toBe(false);
});

it("accepts differences in messages only", () => {
  expect(differs("json: cannot unmarshal x into Go string", "data: expected string, got x", "body.reason")).toBe(false);
});

it("ignores texts that both use", () => {
  const real = "json: cannot unmarshal x into Go string, json: cannot unmarshal y into Go string";
  expect(differs(real, "json: cannot unmarshal x into Go string, b: expected string, got number")).toBe(true);
});
