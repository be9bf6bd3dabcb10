import { describe, expect, it } from "vitest";
import { createStrategicMergePatch } from "./create-strategic-merge-patch.ts";
import type { PatchSchema } from "./patch-schema.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const schema: PatchSchema = {
  field(name) {
    if (name === "containers") return { strategy: "merge", mergeKey: "name", schema };
    if (name === "finalizers") return { strategy: "merge" };
    if (name === "atomic") return { strategy: "replace" };
    return name === "spec" ? { schema } : undefined;
  },
};
const named = (...names: string[]) => names.map((name) => ({ name }));

describe("the difference as a strategic merge patch", () => {
  it.each<[string, object, object, object]>([
    ["nothing", { a: 1, l: [1], u: undefined }, { a: 1, l: [1] }, {}],
    ["members", { a: 1, b: 2, m: { x: 1 } }, { b: 3, c: 4, m: { x: 1, y: 2 } }, { a: null, b: 3, c: 4, m: { y: 2 } }],
    [
      "lists and maps that are replaced",
      { l: [1], atomic: { a: 1 } },
      { l: [2], atomic: { b: 1 } },
      { l: [2], atomic: { b: 1 } },
    ],
    [
      "items by their key",
      { spec: { containers: [{ name: "a", image: "1" }, { name: "b" }, { name: "c" }] } },
      { spec: { containers: [{ name: "d" }, { name: "a", image: "2" }, { name: "c" }] } },
      {
        spec: {
          "$setElementOrder/containers": named("d", "a", "c"),
          containers: [{ name: "d" }, { image: "2", name: "a" }, { $patch: "delete", name: "b" }],
        },
      },
    ],
    [
      "the order alone",
      { containers: named("a", "b") },
      { containers: named("b", "a") },
      { "$setElementOrder/containers": named("b", "a") },
    ],
    [
      "plain values",
      { finalizers: ["a", "b"] },
      { finalizers: ["c", "b"] },
      { "$setElementOrder/finalizers": ["c", "b"], "$deleteFromPrimitiveList/finalizers": ["a"], finalizers: ["c"] },
    ],
  ])("contains %s, and turns one object into the other", (_, before, after, patch) => {
    expect(createStrategicMergePatch(before, after, schema)).toEqual(patch);
    expect(strategicMergePatch({ ...before }, { ...patch }, schema)).toEqual(after);
  });

  it("rejects items without the merge key", () => {
    expect(() => createStrategicMergePatch({ containers: [{}] }, { containers: [{ name: "a" }] }, schema)).toThrow(
      "does not contain declared merge key: name",
    );
  });
});
