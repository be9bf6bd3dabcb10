import { defineKind, type KubeObject, typedSchema } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { Converters } from "./convert-object.ts";
import type { HubSpoke } from "./hub-and-spokes.ts";

const group = "shop.example.com";
const spec = typedSchema<{ path?: string[] }>({
  type: "object",
  properties: { path: { type: "array", items: { type: "string" } } },
});
const kind = (version: string) => defineKind({ group, version, kind: "Site", scope: "Namespaced", spec });
const metadata = { name: "north", namespace: "shop", uid: "7", generation: 3, labels: { a: "b" } };
const site = (version: string, more: object = {}) => ({
  ...{ apiVersion: `${group}/${version}`, kind: "Site", metadata: { ...metadata } },
  ...more,
});

/** Appends a step to the object's record. */
const noted = (object: KubeObject, step: string, apiVersion: string): unknown => {
  const before: unknown = "spec" in object ? object.spec : undefined;
  return { ...object, apiVersion, spec: [...(Array.isArray(before) ? before : []), step] };
};
const spokeOf = (version: string): HubSpoke => ({
  kind: kind(version),
  toHub: (object) => noted(object, `${version} to hub`, `${group}/v1`),
  fromHub: (object) => noted(object, `hub to ${version}`, `${group}/${version}`),
});

const byHub = (...spokes: readonly HubSpoke[]): Converters => {
  const converters = new Converters();
  converters.add({ hub: kind("v1"), spokes });
  return converters;
};
const byItself = (convert: (object: KubeObject, desired: string) => unknown): Converters => {
  const converters = new Converters();
  converters.add({ group, kind: "Site", convert });
  return converters;
};

/** @see controller-runtime pkg/webhook/conversion convertObject */
it.each([
  ["v0", "v1", ["v0 to hub"]],
  ["v1", "v2", ["hub to v2"]],
  ["v0", "v2", ["v0 to hub", "hub to v2"]],
])("converts from %s to %s by way of the hub", async (from, to, way) => {
  const made = await byHub(spokeOf("v0"), spokeOf("v2")).convert(site(from), `${group}/${to}`);
  expect(made).toEqual(site(to, { spec: way }));
});

it.each<[string, unknown, string, string]>([
  ["no object", 7, `${group}/v1`, "has no apiVersion or kind"],
  ["an object without a version", { kind: "Site", metadata }, `${group}/v1`, "has no apiVersion or kind"],
  ["an object without a kind", { apiVersion: "v1", metadata }, `${group}/v1`, "has no apiVersion or kind"],
  ["an empty version", site("v0", { apiVersion: "" }), `${group}/v1`, "has no apiVersion or kind"],
  ["an empty kind", site("v0", { kind: "" }), `${group}/v1`, "has no apiVersion or kind"],
  ["no metadata", site("v0", { metadata: [] }), `${group}/v1`, "metadata: expected an object in shop.example.com/v0"],
  ["an unknown version", site("v0"), "a/b/c", "request.desiredAPIVersion: "],
  [
    "another group",
    site("v0"),
    "x.io/v1",
    "src shop.example.com/v0, Kind=Site and dst x.io/v1, Kind=Site does not belong to same API Group",
  ],
  [
    "the version that it has",
    site("v0"),
    `${group}/v0`,
    "conversion is not allowed between same type shop.example.com/v0, Kind=Site",
  ],
  [
    "a kind without a converter",
    site("v0", { kind: "Shop" }),
    `${group}/v1`,
    "is not convertible to shop.example.com/v1, Kind=Shop: no hub is defined for Shop.shop.example.com",
  ],
  ["a version that is not known", site("v9"), `${group}/v1`, "the version v9 is unknown"],
  ["a wish that is not known", site("v0"), `${group}/v9`, "the version v9 is unknown"],
  ["a wish of the hub that is not known", site("v1"), `${group}/v9`, "the version v9 is unknown"],
])("refuses %s", async (_, object, desired, why) => {
  await expect(byHub(spokeOf("v0")).convert(object, desired)).rejects.toThrow(why);
});

it("accepts one converter for a kind, of either form", () => {
  const converters = byHub();
  const again = "a conversion for Site.shop.example.com already exists";
  expect(() => converters.add({ hub: kind("v2"), spokes: [] })).toThrow(again);
  expect(() => converters.add({ group, kind: "Site", convert: () => ({}) })).toThrow(again);
  expect(() => converters.add({ group, kind: "Shop", convert: () => ({}) })).not.toThrow();
});

describe("a converter's result", () => {
  const made = (result: unknown, from: object = site("v0")) => byItself(() => result).convert(from, `${group}/v1`);

  it.each<[string, unknown]>([
    ["as it was asked for", site("v1")],
    ["without version and kind", { metadata }],
  ])("is accepted %s, and gets the requested version", async (_, result) => {
    expect(await made(result)).toEqual(site("v1", { metadata: { ...metadata, annotations: undefined } }));
  });

  it("may have the version that a step began with, but no other", async () => {
    const spokeWith = (version: string) => byHub({ ...spokeOf("v0"), toHub: () => site(version) });
    expect(await spokeWith("v0").convert(site("v0"), `${group}/v1`)).toMatchObject({ apiVersion: `${group}/v1` });
    await expect(spokeWith("v2").convert(site("v0"), `${group}/v1`)).rejects.toThrow("apiVersion: must be");
    await expect(made(site("v0"))).rejects.toThrow('must be "shop.example.com/v1", got "shop.example.com/v0"');
  });

  it("may change labels and annotations, but no other metadata", async () => {
    const changed = { ...metadata, generation: 9, labels: { c: "d" }, annotations: { e: "f" }, finalizers: ["x"] };
    expect(await made(site("v1", { metadata: changed }))).toEqual(
      site("v1", { metadata: { ...metadata, labels: { c: "d" }, annotations: { e: "f" } } }),
    );
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "the object: expected one of shop.example.com/v1, got undefined"],
    ["null", null, "the object: expected one of shop.example.com/v1, got null"],
    ["another kind", site("v1", { kind: "Shop" }), 'kind: must stay "Site", got "Shop"'],
    ["another version", site("v2"), 'apiVersion: must be "shop.example.com/v1", got "shop.example.com/v2"'],
    ["no metadata", { kind: "Site" }, "metadata: must stay unchanged, except labels and annotations"],
    ["another name", { metadata: { ...metadata, name: "south" } }, 'metadata.name: must stay "north", got "south"'],
    ["another place", { metadata: { ...metadata, namespace: "x" } }, 'metadata.namespace: must stay "shop", got "x"'],
    ["another identity", { metadata: { ...metadata, uid: "8" } }, 'metadata.uid: must stay "7", got "8"'],
    ["no identity", { metadata: { name: "north", namespace: "shop" } }, 'metadata.uid: must stay "7", got ""'],
  ])("is refused if it is %s", async (_, result, why) => {
    await expect(made(result)).rejects.toThrow(`convert of Site "shop/north": ${why}`);
  });

  it("is compared with the object as received, whatever the converter did to it", async () => {
    const renames = byItself((object) => {
      Object.assign(object.metadata, { name: "south" });
      return { metadata: object.metadata };
    });
    await expect(renames.convert(site("v0"), `${group}/v1`)).rejects.toThrow('must stay "north", got "south"');
  });

  it.each<["toHub" | "fromHub", string, string]>([
    ["toHub", "v0", "v1"],
    ["fromHub", "v1", "v0"],
  ])("is refused with the name of the converter: %s", async (by, from, to) => {
    const converters = byHub({ ...spokeOf("v0"), [by]: () => null });
    await expect(converters.convert(site(from), `${group}/${to}`)).rejects.toThrow(`${by} of Site "shop/north": `);
  });
});
