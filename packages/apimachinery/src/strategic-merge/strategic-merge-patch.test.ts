import { describe, expect, it } from "vitest";
import type { PatchSchema } from "./patch-schema.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const podSpec: PatchSchema = {
  field(name) {
    if (name === "containers") return { strategy: "merge", mergeKey: "name", schema: podSpec };
    if (name === "env") return { strategy: "merge", mergeKey: "name" };
    if (name === "finalizers") return { strategy: "merge" };
    if (name === "strategy") return {};
    if (name === "atomic") return { strategy: "replace" };
    return name === "spec" ? { schema: podSpec } : undefined;
  },
};
const patch = (live: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> =>
  strategicMergePatch(live, change, podSpec);
const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

describe("maps", () => {
  it("are merged; null removes; scalars and plain lists replace", () => {
    expect(patch({ a: { b: 1, c: 2 }, l: [1] }, { a: { c: null, d: 3 }, l: [2] })).toEqual({
      a: { b: 1, d: 3 },
      l: [2],
    });
  });

  it("obey $patch", () => {
    expect(patch({ a: { b: 1 } }, { a: { $patch: "replace", c: 2 } })).toEqual({ a: { c: 2 } });
    expect(patch({ a: { b: 1 } }, { a: { $patch: "delete" } })).toEqual({ a: {} });
    expect(() => patch({ a: { b: 1 } }, { a: { $patch: "merge", c: 2 } })).toThrow(
      'unknown patch type: merge in map: {"c":2,"$patch":"merge"}',
    );
    expect(() => patch({ a: { b: 1 } }, { a: { $patch: "frob" } })).toThrow(
      'unknown patch type: frob in map: {"$patch":"frob"}',
    );
  });

  it("obey $retainKeys", () => {
    const live = { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } };
    expect(patch(live, { strategy: { $retainKeys: ["type"], type: "Recreate" } })).toEqual({
      strategy: { type: "Recreate" },
    });
    expect(() => patch(live, { strategy: { $retainKeys: [], type: "Recreate" } })).toThrow(
      "invalid patch format of retainKeys",
    );
  });

  it("with the strategy replace are replaced as a whole", () => {
    expect(patch({ atomic: { a: 1 } }, { atomic: { b: 2 } })).toEqual({ atomic: { b: 2 } });
  });

  it("that are new lose directives and nulls", () => {
    expect(patch({}, { a: { b: null, c: [{ $patch: "delete", name: "x" }, { d: 1 }] } })).toEqual({
      a: { c: [{ d: 1 }] },
    });
  });

  it("that are new and have the directive replace are not created", () => {
    expect(patch({}, { a: { $patch: "replace", b: 1 } })).toEqual({});
  });

  it("do not modify the live object and the patch", () => {
    const live = { spec: { containers: named("a") } };
    const change = { spec: { $retainKeys: ["containers"], containers: named("b") } };
    patch(live, change);
    expect(live).toEqual({ spec: { containers: named("a") } });
    expect(change.spec.$retainKeys).toEqual(["containers"]);
  });
});

describe("lists with a merge key", () => {
  it("merge items of the same key and put new items before those that only the server has", () => {
    expect(patch({ containers: [{ name: "a", image: "x" }] }, { containers: [{ name: "a", tty: true }] })).toEqual({
      containers: [{ name: "a", image: "x", tty: true }],
    });
    expect(patch({ containers: named("a") }, { containers: named("side") })).toEqual({
      containers: named("side", "a"),
    });
    expect(patch({ containers: named("a", "b", "c") }, { containers: [{ name: "c" }, { name: "a" }] })).toEqual({
      containers: named("b", "c", "a"),
    });
  });

  it("delete and replace by directive", () => {
    expect(patch({ containers: named("a", "b") }, { containers: [{ $patch: "delete", name: "a" }] })).toEqual({
      containers: named("b"),
    });
    expect(patch({ containers: named("a", "b") }, { containers: [{ $patch: "replace" }, { name: "z" }] })).toEqual({
      containers: named("z"),
    });
  });

  it("merge the members of their items", () => {
    const live = { containers: [{ name: "a", env: [{ name: "X", value: "1" }] }] };
    expect(patch(live, { containers: [{ name: "a", env: [{ name: "Y", value: "2" }] }] })).toEqual({
      containers: [
        {
          name: "a",
          env: [
            { name: "Y", value: "2" },
            { name: "X", value: "1" },
          ],
        },
      ],
    });
  });

  it("require the merge key in all items", () => {
    expect(() => patch({ containers: named("a") }, { containers: [{ image: "y" }] })).toThrow(
      'map: {"image":"y"} does not contain declared merge key: name',
    );
  });

  it("follow $setElementOrder", () => {
    const change = { "$setElementOrder/containers": named("b", "a"), containers: [{ name: "a", tty: true }] };
    expect(patch({ containers: named("a", "x", "b") }, change)).toEqual({
      containers: [{ name: "x" }, { name: "b" }, { name: "a", tty: true }],
    });
    expect(() =>
      patch({ containers: named("a") }, { "$setElementOrder/containers": named("b"), containers: named("a") }),
    ).toThrow('The order in patch list:\n[{"name":"a"}]\n doesn\'t match $setElementOrder list:\n[{"name":"b"}]\n');
  });
});

describe("lists of scalars that merge", () => {
  it("become the union, and lose what is deleted", () => {
    expect(patch({ finalizers: ["x", "y"] }, { finalizers: ["z", "x"] })).toEqual({ finalizers: ["z", "x", "y"] });
    expect(patch({ finalizers: ["a", "b"] }, { "$deleteFromPrimitiveList/finalizers": ["a"] })).toEqual({
      finalizers: ["b"],
    });
  });

  it("do both under $setElementOrder, as kubectl sends it", () => {
    const change = {
      "$setElementOrder/finalizers": ["c", "b"],
      "$deleteFromPrimitiveList/finalizers": ["a"],
      finalizers: ["c"],
    };
    expect(patch({ finalizers: ["a", "b"] }, change)).toEqual({ finalizers: ["c", "b"] });
  });
});

describe("names that every object inherits", () => {
  const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const prototype = Object.getOwnPropertyNames(Object.prototype);

  it.each(inherited)("%s is merged and removed like any other", (name) => {
    const change = JSON.parse(`{"data":{"${name}":{"a":1,"b":null}}}`) as Record<string, unknown>;
    const merged = patch({ data: {} }, change);
    expect(JSON.stringify(merged)).toBe(`{"data":{"${name}":{"a":1}}}`);
    const again = JSON.parse(`{"data":{"${name}":{"c":2}}}`) as Record<string, unknown>;
    expect(JSON.stringify(patch(merged, again))).toBe(`{"data":{"${name}":{"a":1,"c":2}}}`);
    const gone = JSON.parse(`{"data":{"${name}":null}}`) as Record<string, unknown>;
    expect(patch(merged, gone)).toEqual({ data: {} });
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
  });

  it.each(inherited)("%s is a list like any other for directives", (name) => {
    const live = JSON.parse(`{"${name}":["a","b"]}`) as Record<string, unknown>;
    expect(JSON.stringify(patch(live, { [`$deleteFromPrimitiveList/${name}`]: ["a"] }))).toBe(`{"${name}":["b"]}`);
    expect(JSON.stringify(patch(live, { [`$setElementOrder/${name}`]: ["b", "a"] }))).toBe(`{"${name}":["b","a"]}`);
    expect(patch({}, { [`$deleteFromPrimitiveList/${name}`]: ["a"] })).toEqual({});
  });
});

it("matches lists of any length in one pass", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `n${i}`);
  const started = process.cpuUsage();
  const merged = patch(
    { spec: { containers: named(...names), finalizers: names } },
    {
      spec: {
        "$setElementOrder/containers": named(...names.toReversed()),
        containers: [...names.toReversed().map((name) => ({ name, image: "i" })), { $patch: "delete", name: "n0" }],
        finalizers: names.map((name) => `${name}x`),
      },
    },
  ).spec as { containers: unknown[]; finalizers: unknown[] };
  expect([merged.containers.length, merged.finalizers.length]).toEqual([20_000, 40_000]);
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000); // item by item it takes a minute
});

it.each<[string, Record<string, unknown>, Record<string, unknown>, unknown]>([
  ["deletions from a list that does not exist", {}, { "$deleteFromPrimitiveList/finalizers": ["a"] }, undefined],
  ["deletions alone", { finalizers: ["a", "b"] }, { "$deleteFromPrimitiveList/finalizers": ["a"] }, ["b"]],
  ["an order alone", { finalizers: ["a", "b"] }, {}, ["b", "a"]],
  [
    "additions and deletions",
    { finalizers: ["a"] },
    { "$deleteFromPrimitiveList/finalizers": ["a"], finalizers: ["b"] },
    ["b"],
  ],
])("an order is set with %s", (_what, live, change, finalizers) => {
  expect(patch(live, { "$setElementOrder/finalizers": ["b", "a"], ...change }).finalizers).toEqual(finalizers);
});
