import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mutableCopy } from "../object/object.ts";
import { createJsonPatch } from "../patch/create-json-patch.ts";
import { applyMergePatch, createMergePatch } from "../patch/merge-patch.ts";
import { createStrategicMergePatch } from "../strategic-merge/create-strategic-merge-patch.ts";
import { noPatchSchema } from "../strategic-merge/patch-schema.ts";
import { exactInteger, keepInteger, parseJson, parseJsonNumbers, stringifyJson, withIntegersOf } from "./json.ts";
import { jsonEqual } from "./json-value.ts";
import { semanticEqual } from "./semantic-equal.ts";

describe("JSON with big integers", () => {
  it("survives reading and writing unrounded", () => {
    const text = '{"big":9223372036854775807,"small":-9223372036854775808,"id":"12345678901234567890","f":0.1}';
    expect(parseJson(text)).toEqual({
      big: 9223372036854775807n,
      small: -9223372036854775808n,
      id: "12345678901234567890",
      f: 0.1,
    });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it("keeps numbers that fit numbers, however long their text", () => {
    expect(parseJson("[9007199254740991, 1234567890.12345678901, 1e300]")).toEqual([
      9007199254740991, 1234567890.1234567, 1e300,
    ]);
  });

  it("writes with an indent, and undefined as null", () => {
    expect(stringifyJson({ a: 12345678901234567890n }, 2)).toBe('{\n  "a": 12345678901234567890\n}');
    expect(stringifyJson(undefined)).toBe("null");
  });

  it("rejects texts that are not JSON and circular references", () => {
    expect(() => parseJson("{1234567890123456}")).toThrow(SyntaxError);
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(() => stringifyJson(loop)).toThrow(TypeError);
  });

  it("reads back whatever it writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });
});

// Each of these three rounds to 9007199254740992.
const [a, b, c] = ["9007199254740993", "9007199254740992", "9007199254740991.9"];
const [far, near] = ["1700000000000000123", "1700000000000000124"];

interface Sample {
  x: number;
  list: number[];
}
const sample = (x: string, ...list: readonly string[]): Sample =>
  parseJsonNumbers(`{"x":${x},"list":[${list.join(",")}]}`) as Sample;

describe("reading numbers", () => {
  it("returns numbers for all, and writes the exact integers", () => {
    const text = `{"big":9223372036854775807,"small":-9223372036854775808,"id":"12345678901234567890","f":0.1,"l":[[${far}]],"":${a}}`;
    const value = parseJsonNumbers(text);
    expect(value).toEqual(JSON.parse(text));
    expect(stringifyJson(value)).toBe(text);
    expect(stringifyJson(Object.freeze(value), 2)).toBe(stringifyJson(parseJson(text), 2));
  });

  it.each([
    [
      "names with escapes and quotes",
      `{"a\\"b\\\\":${a},"\\u0061":${far},"{[,":[${a}]}`,
      `{"a\\"b\\\\":${a},"a":${far},"{[,":[${a}]}`,
    ],
    ["texts with anything in them", `{"t":"\\\\","u":"\\\\\\":${a}","x":${a}}`],
    ["white space", ` {\t"x" :\r\n ${a} , "l" : [ 1 , ${far} ] } `, `{"x":${a},"l":[1,${far}]}`],
    ["members that every object inherits", `{"__proto__":{"constructor":${a}},"toString":${far}}`],
    ["a member that comes twice", `{"x":{"y":${a}},"x":7}`, '{"x":7}'],
    ["a member that comes twice as something else", `{"x":[${a}],"x":{"0":1}}`, '{"x":{"0":1}}'],
    ["integers that are written with an exponent", `[1${"0".repeat(21)},-12${"0".repeat(30)},100000]`],
    ["integers that round to infinity", `{"x":1${"0".repeat(400)},"y":null}`],
    ["the number alone", a, b],
  ])("copes with %s", (_, text, written = text) => {
    expect(stringifyJson(parseJsonNumbers(text))).toBe(written);
  });

  it("does not store exact values of fractions, which all parsers round", () => {
    expect(stringifyJson(parseJsonNumbers(`[${c},12345678901234567.5,1e300]`))).toBe(
      "[9007199254740992,12345678901234568,1e+300]",
    );
  });

  it("supports deep values and very long integers", () => {
    const depth = 5_000;
    const deep = `${'{"a":['.repeat(depth)}${far}${"]}".repeat(depth)}`;
    let at = parseJsonNumbers(deep) as { a: [never] };
    for (let i = 1; i < depth; i++) at = at.a[0];
    expect(exactInteger(at.a, 0)).toBe(BigInt(far));
    expect(parseJsonNumbers(`[${"9".repeat(20_000)}]`)).toEqual([Number.POSITIVE_INFINITY]);
  });

  it("takes time in proportion to the items of a list that were moved", () => {
    const list = parseJsonNumbers(
      `[${Array.from({ length: 50_000 }, (_, i) => `17${String(i * 1_000).padStart(17, "0")}`)}]`,
    ) as number[];
    const before = list.map((_, i) => exactInteger(list, i));
    list.reverse();
    const after = list.map((_, i) => exactInteger(list, i));
    expect(after.reverse().every((digits, i) => digits === before[i])).toBe(true);
  });

  it("rejects texts that are not JSON", () => {
    for (const text of [`{${a}}`, `[${a}`, `{"a":${a}`, ""]) expect(() => parseJsonNumbers(text)).toThrow(SyntaxError);
  });

  it("writes what it has read in the same way as the parser that returns bigints", () => {
    const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        integer.map((digits) => `[${digits}]`),
        fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
        fc.array(tie("value")).map((items) => `[${items.join(",")}]`),
        fc.dictionary(fc.string(), tie("value")).map(
          (members) =>
            `{${Object.entries(members)
              .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
              .join(",")}}`,
        ),
      ),
    })).value;
    fc.assert(
      fc.property(json, (text) => {
        expect(stringifyJson(parseJsonNumbers(text))).toBe(stringifyJson(parseJson(text)));
      }),
    );
  });
});

describe("the digits of an integer", () => {
  it("are written only where the number is unchanged", () => {
    const value = sample(a, far, b);
    value.list[0] = 5;
    expect(stringifyJson(value)).toBe(`{"x":${a},"list":[5,${b}]}`);
    value.x = 6;
    expect(stringifyJson(value)).toBe(`{"x":6,"list":[5,${b}]}`);
    value.x = Number(a);
    expect(stringifyJson(value)).toBe(`{"x":${a},"list":[5,${b}]}`);
    expect(stringifyJson({ x: value.x })).toBe(`{"x":${b}}`);
    expect(stringifyJson({ ...value })).toBe(`{"x":${b},"list":[5,${b}]}`);
    expect(stringifyJson(structuredClone(value))).toBe(`{"x":${b},"list":[5,${b}]}`);
  });

  it("move with the items of a list, unless two round to the same number", () => {
    const { list } = sample("1", far, a);
    list.unshift(1);
    expect(stringifyJson(list)).toBe(`[1,${far},${a}]`);
    list.splice(1, 1);
    expect(stringifyJson(list)).toBe(`[1,${a}]`);
    const { list: alike } = sample("1", far, near);
    expect(stringifyJson(alike)).toBe(`[${far},${near}]`);
    alike.unshift(1, 1);
    expect(stringifyJson(alike)).toBe("[1,1,1700000000000000000,1700000000000000000]");
    keepInteger(alike, 3, BigInt(near));
    keepInteger(alike, 1, BigInt(near));
    expect(stringifyJson(alike)).toBe(`[1,1,1700000000000000000,${near}]`);
    const { list: other } = sample("1", far);
    other.unshift(1);
    expect(exactInteger(other, 1)).toBe(BigInt(far));
    keepInteger(other, 5, BigInt(near));
    expect(exactInteger(other, 1)).toBe(1700000000000000000n);
  });

  it("are copied by the functions for it", () => {
    const value = sample(a, far);
    expect(stringifyJson(mutableCopy(Object.freeze(value)))).toBe(`{"x":${a},"list":[${far}]}`);
    const copy = mutableCopy(value);
    copy.x = 1;
    expect(stringifyJson([value, withIntegersOf(value, { ...value, y: 1 })])).toBe(
      `[{"x":${a},"list":[${far}]},{"x":${a},"list":[${far}],"y":1}]`,
    );
    const own = parseJsonNumbers(`{"x":${b}}`) as object;
    expect(stringifyJson(withIntegersOf(value, own))).toBe(`{"x":${b}}`);
  });

  it("are not written for the result of toJSON", () => {
    const value = sample(a, far);
    expect(stringifyJson({ value: Object.assign(value, { toJSON: () => ({ x: 12345678901234567000 }) }) })).toBe(
      '{"value":{"x":12345678901234567000}}',
    );
  });

  it("are written together with bigints", () => {
    expect(stringifyJson({ ...{ n: 10n ** 20n }, v: sample(a, far) })).toBe(
      `{"n":100000000000000000000,"v":{"x":${a},"list":[${far}]}}`,
    );
  });

  it("are returned by exactInteger", () => {
    const value = sample(a, far, "7");
    expect([exactInteger(value, "x"), exactInteger(value.list, 0), exactInteger(value.list, 1)]).toEqual([
      BigInt(a),
      BigInt(far),
      7n,
    ]);
    expect(exactInteger({ x: 2n ** 60n, y: 2 ** 60 }, "x")).toBe(2n ** 60n);
    expect(exactInteger({ y: 2 ** 60 }, "y")).toBe(2n ** 60n);
    for (const key of ["none", "list", "constructor"]) expect(exactInteger(value, key)).toBeUndefined();
    expect(exactInteger({ x: 0.5, y: "1" }, "x")).toBeUndefined();
    expect(exactInteger({ x: Number.POSITIVE_INFINITY }, "x")).toBeUndefined();
  });
});

describe("comparing integers", () => {
  it.each([
    ["as JSON", jsonEqual],
    ["as objects of the API", semanticEqual],
  ])("distinguishes integers whose exact values are known: %s", (_, isEqual) => {
    expect(isEqual(sample(a, far), sample(a, far))).toBe(true);
    expect(isEqual(sample(a, far), sample(b, far))).toBe(false);
    expect(isEqual(sample(a, far), sample(a, near))).toBe(false);
    expect(isEqual(sample(a, far), structuredClone(sample(b, far)))).toBe(true);
    expect(isEqual(structuredClone(sample(a, far)), sample(b, far))).toBe(true);
    const asked = { x: BigInt(a), list: [BigInt(far)] };
    expect([isEqual(sample(a, far), asked), isEqual(asked, sample(a, far))]).toEqual([true, true]);
    for (const other of [
      { ...asked, x: BigInt(b) },
      { ...asked, list: [BigInt(near)] },
    ])
      expect([isEqual(sample(a, far), other), isEqual(other, sample(a, far))]).toEqual([false, false]);
  });
});

describe("patches", () => {
  const makers: [string, (from: unknown, to: unknown) => unknown][] = [
    ["merge", createMergePatch],
    ["strategic merge", (from, to) => createStrategicMergePatch(from, to, noPatchSchema)],
  ];

  it.each(makers)("contain the exact integers that changed, and nothing else: %s", (_, patchOf) => {
    const before = sample(a, far, "1");
    expect(patchOf(before, mutableCopy(before))).toEqual({});
    expect(patchOf(before, structuredClone(before))).toEqual({});
    expect(patchOf(before, { ...before })).toEqual({});
    expect(patchOf(before, { x: BigInt(a), list: [BigInt(far), 1] })).toEqual({});
    expect(stringifyJson(patchOf(before, sample(b, far, "1")))).toBe(`{"x":${b}}`);
    expect(stringifyJson(patchOf({}, before))).toBe(`{"x":${a},"list":[${far},1]}`);
    const longer = mutableCopy(before);
    longer.list.push(2);
    expect(stringifyJson(patchOf(before, longer))).toBe(`{"list":[${far},1,2]}`);
  });

  it("contain them in JSON patches too", () => {
    const before = sample(a, far, "1");
    expect(createJsonPatch(before, mutableCopy(before))).toEqual([]);
    expect(createJsonPatch(before, structuredClone(before))).toEqual([]);
    expect(createJsonPatch(before, { x: BigInt(a), list: [BigInt(far), 1] })).toEqual([]);
    expect(stringifyJson(createJsonPatch(before, sample(b, far, a, "1")))).toBe(
      `[{"op":"replace","path":"/x","value":${b}},{"op":"add","path":"/list/1","value":${a}}]`,
    );
    expect(stringifyJson(createJsonPatch({ list: [] }, before))).toBe(
      `[{"op":"add","path":"/x","value":${a}},{"op":"add","path":"/list/0","value":${far}},{"op":"add","path":"/list/1","value":1}]`,
    );
    expect(stringifyJson(createJsonPatch([1], sample(a, far)))).toBe(
      `[{"op":"replace","path":"","value":{"x":${a},"list":[${far}]}}]`,
    );
  });

  it("transfer their exact integers to the document", () => {
    expect(stringifyJson(applyMergePatch(sample(a, far), sample("1", a)))).toBe(`{"x":1,"list":[${a}]}`);
    expect(stringifyJson(applyMergePatch(sample(a, far), { y: 1 }))).toBe(`{"x":${a},"list":[${far}],"y":1}`);
    expect(stringifyJson(applyMergePatch({ x: 1 }, sample(a)))).toBe(`{"x":${a},"list":[]}`);
  });
});
