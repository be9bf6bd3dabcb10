import { expect, it } from "vitest";
import { admissionForbidden, aggregateText } from "./admission-forbidden.ts";
import { convertObject, type ServedResources } from "./equivalent-resources.ts";
import { attributesOf, labelled } from "./testing/attributes.ts";

const gvr = (version: string) => ({ group: "x.io", version, resource: "widgets" });
const converter = (version: string) => ({
  toStored: (object: object) => ({ ...object, stored: version }),
  toServed: async (objects: readonly object[]) => objects.map((object) => ({ ...object, served: version })),
});
const versions: Record<string, object> = {
  v1: { kind: "Any", converter: converter("v1") },
  v2: { kind: "Any", converter: converter("v2") },
  v3: { kind: "Any" },
};
const served = {
  find: ({ version }: { version: string }) => versions[version],
  sharing: () => [],
} as unknown as ServedResources;

it.each([
  ["v1", "v2", { stored: "v1", served: "v2" }],
  ["v1", "v3", { stored: "v1" }],
  ["v3", "v2", { served: "v2" }],
  ["v1", "v1", {}],
  ["v1", "v4", {}],
  ["v4", "v1", {}],
])("an object of %s as %s is converted by way of what is stored", async (from, to, more) => {
  const object = labelled({ a: "b" });
  const found = await convertObject(served, object, gvr(from), gvr(to));
  expect(found).toStrictEqual({ ...object, ...more });
  expect(found).not.toBe(object);
});

it("an object of another kind, of a part, is not converted", async () => {
  const object = { ...labelled(), kind: "Scale" };
  expect(await convertObject(served, object, gvr("v1"), gvr("v2"))).toStrictEqual(object);
});

it.each([
  [{ name: "web" }, "web"],
  [{ name: "", object: labelled({}, { name: "own" }) }, "own"],
  [{ name: "", object: labelled({}, { name: "", generateName: "made-" }) }, "made-"],
  [{ name: "" }, "Unknown"],
])("what is refused of %j is called %s", (more, name) => {
  expect(admissionForbidden(attributesOf(more), "no").message).toBe(`pods "${name}" is forbidden: no`);
});

it("complaints are told each once", () => {
  expect([aggregateText(["a", "a"]), aggregateText(["a", "b", "a"])]).toEqual(["a", "[a, b]"]);
});
