import { expect, it } from "vitest";
import type { PatchBody } from "./patch-body.ts";
import { patchedText, sortedText } from "./patched-text.ts";

const json = (...operations: readonly object[]): PatchBody => ({ type: "json", operations, problems: [] }) as PatchBody;
const merge = (patch: Record<string, unknown>): PatchBody => ({ type: "merge", patch, problems: [] });

it.each<[string, PatchBody, unknown, string]>([
  ["nothing", merge({}), { b: 1, a: 2 }, '{"a":2,"b":1}'],
  ["a member", merge({ c: 1 }), { b: 1 }, '{"b":1,"c":1}'],
  ["a member within", merge({ a: { c: 1 } }), { a: { b: 1 } }, '{"a":{"b":1,"c":1}}'],
  ["a member away", merge({ a: null }), { a: 1, b: 2 }, '{"b":2}'],
  ["a member that is not there away", merge({ c: null }), { a: 1 }, '{"a":1}'],
  ["new members without their nulls", merge({ n: { b: null, a: [{ d: null, c: 1 }] } }), {}, '{"n":{"a":[{"c":1}]}}'],
  ["an object for a text", merge({ a: { c: null, b: 1 } }), { a: "x" }, '{"a":{"b":1}}'],
  ["a text for an object", merge({ a: "x" }), { a: { b: 1 } }, '{"a":"x"}'],
  ["an item", json({ op: "add", path: "/a/0", value: 1 }), { a: [2] }, '{"a":[1,2]}'],
  [
    "an object in a list",
    json({ op: "add", path: "/a/0/c", value: 1 }),
    { a: [{ b: 2 }, { z: 1, y: 2 }] },
    '{"a":[{"b":2,"c":1},{"y":2,"z":1}]}',
  ],
  ["what is called like a prototype", merge({ ["__proto__"]: { a: 1 } }), { b: 1 }, '{"__proto__":{"a":1},"b":1}'],
  ["signs of HTML", merge({ a: "<&>\u2028" }), {}, '{"a":"\\u003c\\u0026\\u003e\\u2028"}'],
])("shows what a patch makes of an object: %s", (_what, patch, original, text) => {
  expect(patchedText(patch, original, undefined)).toBe(text);
});

it("shows what a patch reaches sorted, and the rest as it was", () => {
  const fields = new Map(["z", "a", "m"].map((name) => [name, { schema: { type: "any" } }]));
  const inner = { type: "object", fields };
  const schema = {
    type: "object",
    fields: new Map([
      ["y", { schema: inner }],
      ["b", { schema: inner }],
    ]),
  } as never;
  const original = { b: { a: 1, z: 2 }, y: { a: 3, z: 4 } };
  expect(patchedText(json(), original, schema)).toContain('"y":{"z":4,"a":3}');
  const patched = patchedText(json({ op: "add", path: "/b/m", value: 5 }), original, schema);
  expect(patched).toBe('{"b":{"a":1,"m":5,"z":2},"y":{"z":4,"a":3}}');
});

it("shows an object that no patch made sorted", () => {
  expect(sortedText({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
});
