import { strategicMergePatch } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { builtinSchema } from "./builtin-schemas.ts";
import { patchSchemaOf } from "./patch-schema.ts";
import { type ObjectSchema, scalar, type TypeSchema } from "./type-schema.ts";

it("merges containers by name and puts new ones before those that the patch does not name", () => {
  const schema = builtinSchema({ group: "apps", version: "v1", kind: "Deployment" });
  if (!schema) throw new Error("no Deployment");
  const live = { spec: { template: { spec: { containers: [{ name: "a", image: "x" }] } } } };
  const patch = { spec: { template: { spec: { containers: [{ name: "side", image: "y" }] } } } };
  expect(strategicMergePatch(live, patch, patchSchemaOf(schema))).toEqual({
    spec: {
      template: {
        spec: {
          containers: [
            { name: "side", image: "y" },
            { name: "a", image: "x" },
          ],
        },
      },
    },
  });
});

const field = { required: false, number: 1, pointer: false, alwaysPrinted: false, patchStrategies: [] };
const inner: ObjectSchema = {
  type: "object",
  fields: new Map([["z", { ...field, name: "z", schema: scalar("string"), patchStrategies: ["replace"] }]]),
};
const list: TypeSchema = { type: "list", items: inner, topology: "atomic", keys: [] };
const outer: ObjectSchema = {
  type: "object",
  fields: new Map([
    ["plain", { ...field, name: "plain", schema: inner }],
    ["merged", { ...field, name: "merged", schema: list, patchStrategies: ["merge"], patchMergeKey: "k" }],
    ["kept", { ...field, name: "kept", schema: inner, patchStrategies: ["retainKeys"] }],
    ["both", { ...field, name: "both", schema: inner, patchStrategies: ["retainKeys", "replace"] }],
    ["map", { ...field, name: "map", schema: { type: "map", values: inner } }],
  ]),
};

it.each<readonly [name: string, strategy: string | undefined, mergeKey: string | undefined]>([
  ["plain", undefined, undefined],
  ["merged", "merge", "k"],
  ["kept", undefined, undefined],
  ["both", "replace", undefined],
])("knows how %s is patched, and what is in it", (name, strategy, mergeKey) => {
  const found = patchSchemaOf(outer).field(name);
  expect([found?.strategy, found?.mergeKey]).toEqual([strategy, mergeKey]);
  expect(found?.schema?.field("z")?.strategy).toBe("replace");
});

it("knows nothing of members that there are not, and looks into lists and maps", () => {
  expect(patchSchemaOf(outer).field("other")).toBeUndefined();
  expect(patchSchemaOf(scalar("string")).field("z")).toBeUndefined();
  expect(patchSchemaOf(list).field("z")?.strategy).toBe("replace");
  expect(patchSchemaOf(outer).field("map")?.schema?.field("any")?.schema?.field("z")?.strategy).toBe("replace");
  expect(
    patchSchemaOf({ ...outer, rest: inner })
      .field("other")
      ?.schema?.field("z")?.strategy,
  ).toBe("replace");
});
