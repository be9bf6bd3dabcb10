import { describe, expect, it } from "vitest";
import { ownMember, setOwnMember } from "./json-value.ts";

const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

describe("members under names that every object inherits", () => {
  it.each(inherited)("does not find an inherited %s", (name) => {
    expect(ownMember<unknown>({}, name)).toBeUndefined();
    expect(ownMember<unknown>(undefined, name)).toBeUndefined();
  });

  it.each(inherited)("sets and finds %s as data and does not change the prototype", (name) => {
    const object: Record<string, unknown> = {};
    setOwnMember(object, name, { a: 1 });
    expect(Object.keys(object)).toEqual([name]);
    const plain = { writable: true, enumerable: true, configurable: true };
    expect(Object.getOwnPropertyDescriptor(object, name)).toEqual({ value: { a: 1 }, ...plain });
    expect(ownMember(object, name)).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    setOwnMember(object, name, { a: 2 });
    expect(ownMember(object, name)).toEqual({ a: 2 });
    expect(JSON.stringify(object)).toBe(`{"${name}":{"a":2}}`);
  });
});
