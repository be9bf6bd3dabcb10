import { describe, expect, it } from "vitest";
import { admissionForbidden, aggregateText } from "./admission-forbidden.ts";
import { convertObject, equivalentsOf, type ServedResources } from "./equivalent-resources.ts";
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
])("converts an object of %s to %s by way of the storage version", async (from, to, more) => {
  const object = labelled({ a: "b" });
  const found = await convertObject(served, object, gvr(from), gvr(to));
  expect(found).toStrictEqual({ ...object, ...more });
  expect(found).not.toBe(object);
});

it("keeps the stored form if a converter returns nothing", async () => {
  const silent = { kind: "Any", converter: { toStored: async (object: object) => object, toServed: async () => [] } };
  const find = ({ version }: { version: string }) => (version === "v9" ? silent : versions.v1);
  const found = await convertObject({ find, sharing: () => [] } as never, labelled(), gvr("v1"), gvr("v9"));
  expect(found).toStrictEqual({ ...labelled(), stored: "v1" });
});

describe("the other names of a resource", () => {
  const named = (version: string, subresources: object[] = []) => ({
    ...gvr(version),
    kind: "Widget",
    storagePrefix: "/widgets/",
    subresources,
  });
  const scale = { name: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" } };
  const [first, second] = [named("v1", [scale, { name: "status" }]), named("v2", [scale])];
  const resources = {
    find: ({ version }: { version: string }) => (version === "v1" ? first : undefined),
    sharing: (prefix: string) => (prefix === "/widgets/" ? [first, second] : []),
  } as unknown as ServedResources;

  it("are those that share its objects, except its own", () => {
    expect(equivalentsOf(resources, gvr("v1"), "")).toEqual([
      { resource: gvr("v2"), kind: { group: "x.io", version: "v2", kind: "Widget" } },
    ]);
    expect(equivalentsOf(resources, gvr("v3"), "")).toEqual([]);
  });

  it("have the subresource, if one is requested", () => {
    expect(equivalentsOf(resources, gvr("v1"), "scale")).toEqual([{ resource: gvr("v2"), kind: scale.kind }]);
    expect(equivalentsOf(resources, gvr("v1"), "status")).toEqual([]);
  });
});

it("does not convert a subresource object of another kind", async () => {
  const object = { ...labelled(), kind: "Scale" };
  expect(await convertObject(served, object, gvr("v1"), gvr("v2"))).toStrictEqual(object);
});

it.each([
  [{ name: "web" }, "web"],
  [{ name: "", object: labelled({}, { name: "own" }) }, "own"],
  [{ name: "", object: labelled({}, { name: "", generateName: "made-" }) }, "made-"],
  [{ name: "" }, "Unknown"],
])("a rejection of %j names %s", (more, name) => {
  expect(admissionForbidden(attributesOf(more), "no").message).toBe(`pods "${name}" is forbidden: no`);
});

it("lists each message once", () => {
  expect([aggregateText(["a", "a"]), aggregateText(["a", "b", "a"])]).toEqual(["a", "[a, b]"]);
});
