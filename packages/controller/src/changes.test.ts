import { expect, it } from "vitest";
import { Allowance, changesBetween } from "./changes.ts";

const fields = (old: object, object: object) => changesBetween(old, object).fields;

it("returns the fields that were added, changed and removed", () => {
  const old = { spec: { size: 1, image: "a", old: { b: 1 } }, metadata: { labels: { a: "1" } } };
  const changed = { spec: { size: 2, image: "a" }, metadata: { labels: { a: "1", b: "2" } } };
  expect(fields(old, changed)).toEqual([
    { path: ["spec", "size"], before: 1, after: 2 },
    { path: ["spec", "old"], before: { b: 1 } },
    { path: ["metadata", "labels", "b"], after: "2" },
  ]);
});

it("ignores metadata that changes with every write, but not fields of the same name elsewhere", () => {
  const version = (resourceVersion: string) => ({
    resourceVersion,
    generation: Number(resourceVersion),
    managedFields: [{}],
  });
  expect(fields({ metadata: version("1") }, { metadata: version("2") })).toEqual([]);
  expect(fields({ spec: version("1") }, { spec: version("2") })).toHaveLength(2);
});

it("treats lists, and records of a name and a value, as one field", () => {
  const env = (value: string) => [{ name: "DB_PASS", value }];
  expect(fields({ env: env("a") }, { env: env("b") })).toEqual([{ path: ["env"], before: env("a"), after: env("b") }]);
  const header = (value: string) => ({ header: { name: "Authorization", value } });
  expect(fields(header("a"), header("b"))).toEqual([
    { path: ["header"], before: header("a").header, after: header("b").header },
  ]);
  expect(fields({ args: ["--a", "b"] }, { args: ["--a", "b"] })).toEqual([]);
});

it("limits the number of fields and the size of values", () => {
  const many = (value: number) => Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, value]));
  const changes = changesBetween(many(1), many(2));
  expect([changes.fields.length, changes.isCut]).toEqual([20, true]);
  expect(fields({ a: "x".repeat(2_001) }, { a: "y" })).toEqual([{ path: ["a"], isLarge: true }]);
  expect(fields({ a: ["x".repeat(1_900)] }, { a: ["y".repeat(2_100)] })).toEqual([{ path: ["a"], isLarge: true }]);
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at]));
  expect(changesBetween(wide, { ...wide, f4999: 0 })).toMatchObject({ fields: [], isCut: true });
});

it("limits the length and depth of paths", () => {
  const named = (name: string, value: number) => ({ spec: { [name]: value, z: value } });
  expect(changesBetween(named("x".repeat(100_000), 1), named("x".repeat(100_000), 2))).toEqual({
    fields: [{ path: ["spec", "z"], before: 1, after: 2 }],
    isCut: true,
  });
  const nested = (depth: number, leaf: unknown): object => {
    let value = leaf;
    for (let at = 0; at < depth; at++) value = { a: value };
    return Object(value);
  };
  expect(fields(nested(20, 1), nested(20, 2))).toEqual([{ path: Array(20).fill("a"), before: 1, after: 2 }]);
  const [deep] = fields(nested(10_000, 1), nested(10_000, 2));
  expect([deep?.path.length, deep?.isLarge]).toEqual([32, true]);
  expect(fields({ a: 1 }, { a: nested(10_000, 1) })).toEqual([{ path: ["a"], isLarge: true }]);
});

it("compares fields with the names of inherited members", () => {
  const old = JSON.parse('{"__proto__":{"a":1},"toString":1}');
  expect(fields(old, JSON.parse('{"__proto__":{"a":2},"constructor":"x"}'))).toEqual([
    { path: ["__proto__", "a"], before: 1, after: 2 },
    { path: ["toString"], before: 1 },
    { path: ["constructor"], after: "x" },
  ]);
  expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
});

it("allows a number of operations per second, and more after a pause", () => {
  const allowance = new Allowance(10, 20);
  const taken = (now: number) => {
    let count = 0;
    while (allowance.take(now)) count++;
    return count;
  };
  expect([taken(0), taken(99), taken(100), taken(600), taken(60_000)]).toEqual([20, 0, 1, 5, 20]);
});
