import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  approximateSizeOf,
  jsonOf,
  MemberAccessors,
  MemberComparison,
  readValuesOf,
  unreadMemberOf,
} from "./deferred-members.ts";
import { LazyDecoder } from "./lazy-decoder.ts";

const long = (text: string): { readonly text: string; readonly more: string } => ({ text, more: "x".repeat(40) });
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Numbers of ordinary length: longer ones are left to the parser. */
const part = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) =>
    JSON.parse(JSON.stringify(value), (_, one) => (typeof one === "number" ? Math.trunc(one % 1e6) : one)),
  );
const object = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), part);

describe.each([{}, { freezes: true }])("LazyDecoder with %j", (options) => {
  it("returns the same objects as JSON.parse", () => {
    const decoder = new LazyDecoder(options);
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1), (value, indent) => {
        const json = JSON.stringify(value, undefined, indent);
        const plain: unknown = JSON.parse(json);
        const decoded = decoder.decode(Buffer.from(json)) ?? plain;
        expect(JSON.stringify(decoded)).toBe(JSON.stringify(plain));
        expect(decoded).toStrictEqual(plain);
        expect(Object.isFrozen(decoded)).toBe("freezes" in options || decoded === plain);
      }),
      { numRuns: 300 },
    );
  });
});

describe("LazyDecoder", () => {
  it.each([
    '{"a":1,"a":2}',
    '{"\\u0061":1}',
    '{"1":1,"0":2}',
    '{"__proto__":1}',
    '{"a":12345678901234567890}',
    '{"a":[1,}',
    "[]",
    "",
  ])("leaves %s to the caller", (json) => {
    expect(new LazyDecoder().decode(Buffer.from(json))).toBeUndefined();
  });

  it("begins at a position and leaves the rest", () => {
    const decoder = new LazyDecoder();
    const bytes = Buffer.from('  {"a":1} {"b":2}');
    expect(decoder.decode(bytes, 2)).toEqual({ a: 1 });
    expect(decoder.scan(bytes, 2)).toBe(9);
    expect(decoder.create(bytes, { first: 0 })).toEqual({ first: 0, a: 1 });
    expect([decoder.has("a"), decoder.has("b")]).toEqual([true, false]);
  });

  it("makes no object unless one was scanned", () => {
    const decoder = new LazyDecoder();
    expect(() => decoder.create(Buffer.from("{}"))).toThrow("no object was scanned");
    expect(decoder.scan(Buffer.from('{"a"'), 0)).toBe(-1);
    expect(() => decoder.create(Buffer.from("{}"))).toThrow("no object was scanned");
  });

  it("keeps more than two deferred members", () => {
    const value = { a: long("a"), b: long("b"), c: long("c"), d: long("d") };
    const decoded = new LazyDecoder().decode(bytesOf(value)) as typeof value;
    expect([0, 1, 2, 3, 4].map((index) => unreadMemberOf(decoded, index) !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(decoded.c).toEqual(value.c);
    decoded.d = long("e");
    expect(readValuesOf(decoded)).toContainEqual(value.c);
    expect(decoded).toStrictEqual({ ...value, d: long("e") });
  });

  it("leaves out members, and takes values from the caller", () => {
    const decoder = new LazyDecoder({
      addMember: (bytes, cursor, table) => {
        cursor.skip();
        if (cursor.valueEnd - cursor.valueStart > 1) table.add(cursor, false);
        return bytes.length > 2;
      },
      parseMember: (_, name, start, end) => `${name}:${end - start}`,
    });
    expect(decoder.decode(Buffer.from('{"a":1,"b":22}'))).toEqual({ b: "b:2" });
  });

  it("passes each value to the accessors' function once", () => {
    const calls: unknown[] = [];
    const accessors = new MemberAccessors((...call) => void calls.push(call));
    const decoded = new LazyDecoder({ accessors }).decode(bytesOf({ a: long("a") })) as { a: unknown };
    expect(decoded.a).toBe(decoded.a);
    expect(calls).toEqual([[long("a"), false, decoded]]);
  });
});

it("finds the member of the previous version whose text is the same", () => {
  const decoder = new LazyDecoder();
  const comparison = new MemberComparison();
  const bytes = bytesOf({ a: long("a") });
  const before = decoder.decode(bytes) as { a: unknown };
  const same = comparison.same(before, 0, bytes, 5);
  expect(same && jsonOf(same)).toBe(JSON.stringify(long("a")));
  const other = bytesOf({ a: long("b") });
  for (let miss = 0; miss < 9; miss++) {
    expect(comparison.isWorthwhile(0)).toBe(true);
    expect(comparison.same(before, 0, other, 5)).toBeUndefined();
  }
  expect(comparison.isWorthwhile(0)).toBe(false);
  expect(comparison.same(before, 0, bytes, 5)).toBeUndefined();
});

it("estimates the size of an object without parsing it", () => {
  const json = (size: number): string =>
    JSON.stringify({
      kind: "Pod",
      metadata: { name: "a", labels: { text: "y".repeat(size) } },
      spec: { text: "x".repeat(size) },
    });
  const decoded = (size: number): object => new LazyDecoder().decode(Buffer.from(json(size))) ?? {};
  const unread = decoded(1_000);
  expect(unreadMemberOf(unread, 1)).toBeDefined();
  const sizes = [unread, decoded(10_000), JSON.parse(json(1_000))].map(approximateSizeOf);
  expect(unreadMemberOf(unread, 1)).toBeDefined();
  for (const [at, least] of [2_000, 20_000, 2_000].entries()) {
    expect(sizes[at]).toBeGreaterThan(least);
    expect(sizes[at]).toBeLessThan(least * 2.5);
  }
});
