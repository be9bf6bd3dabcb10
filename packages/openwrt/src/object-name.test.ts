import { expect, it } from "vitest";
import { NameNotStorableError } from "./errors.ts";
import { interfaceSegment, pathSegment } from "./object-name.ts";

const taken = (segment: (name: string) => string, name: string): boolean => {
  try {
    return segment(name) === name;
  } catch (error) {
    if (error instanceof NameNotStorableError) return false;
    throw error;
  }
};

it.each([
  ["web", true],
  ["A-Z_0.9~", true],
  ["...", true],
  [".a", true],
  ["a:b@c,d;e=f", true],
  ["[a](b)!$&'*+", true],
  ["", false],
  [".", false],
  ["..", false],
  ["a/b", false],
  ["a?b", false],
  ["a#b", false],
  ["a%2fb", false],
  ["a b", false],
  ["a\\b", false],
  ["a\n", false],
  ["ä", false],
])("an object may have the name %j: %s", (name, isTaken) => {
  expect(taken(pathSegment, name)).toBe(isTaken);
});

it.each([
  ["eth0", true],
  ["_", true],
  ["br-lan.5:1@x", true],
  ["a23456789012345", true],
  ["a234567890123456", false],
  ["", false],
  [".", false],
  ["-a", false],
  ["a b", false],
  ["a;reboot", false],
  ["a$x", false],
  ["a/b", false],
  ["a\n", false],
  ["ä", false],
])("a network interface may have the name %j: %s", (name, isTaken) => {
  expect(taken(interfaceSegment, name)).toBe(isTaken);
});

it.each<unknown>([undefined, null, 5, ["a"]])("an object may not have the name %j, which is not text", (name) => {
  for (const segment of [pathSegment, interfaceSegment]) expect(taken(segment, name as string)).toBe(false);
});
