import { expect, it } from "vitest";
import { builtinSchema, listMetaSchema, objectMetaSchema, sharedType } from "./builtin-schemas.ts";
import { builtinCatalogue } from "./catalogue.ts";
import type { TypeSchema } from "./type-schema.ts";

it("has a type for every kind of the catalogue, its list and its subresources", () => {
  const missing = builtinCatalogue
    .flatMap((entry) => [entry, { ...entry, kind: entry.listKind }, ...entry.subresources.map((sub) => sub.kind)])
    .filter((gvk) => gvk.kind !== "BindingList" && !/ReviewList$/.test(gvk.kind))
    .filter((gvk) => !builtinSchema(gvk));
  expect(missing).toEqual([]);
});

it("parses every line of the table", () => {
  const seen = new Set<TypeSchema>();
  const walk = (schema: TypeSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.type === "object") for (const field of schema.fields.values()) walk(field.schema);
    if (schema.type === "list") walk(schema.items);
    if (schema.type === "map") walk(schema.values);
    if (schema.type === "either") walk(schema.object);
  };
  for (const entry of builtinCatalogue) {
    const schema = builtinSchema(entry);
    if (schema) walk(schema);
  }
  expect(seen.size).toBeGreaterThan(500);
});

it("knows topology, merge keys, defaults and protobuf numbers", () => {
  const pod = builtinSchema({ group: "", version: "v1", kind: "PodSpec" });
  const containers = pod?.fields.get("containers");
  expect(containers).toMatchObject({
    number: 2,
    required: true,
    patchMergeKey: "name",
    patchStrategies: ["merge"],
    schema: { type: "list", topology: "map", keys: ["name"] },
  });
  const container = containers?.schema.type === "list" ? containers.schema.items : undefined;
  const ports = container?.type === "object" ? container.fields.get("ports")?.schema : undefined;
  const port = ports?.type === "list" && ports.items.type === "object" ? ports.items : undefined;
  expect(ports).toMatchObject({ topology: "map", keys: ["containerPort", "protocol"] });
  expect(port?.fields.get("protocol")?.default).toBe("TCP");
  expect(pod?.fields.get("volumes")?.patchStrategies).toEqual(["merge", "retainKeys"]);
});

it("adds apiVersion and kind to kinds only", () => {
  expect([...(builtinSchema({ group: "", version: "v1", kind: "ConfigMapList" })?.fields.keys() ?? [])]).toEqual([
    "apiVersion",
    "kind",
    "metadata",
    "items",
  ]);
  expect(builtinSchema({ group: "", version: "v1", kind: "DeleteOptions" })?.fields.has("kind")).toBe(true);
  expect(builtinSchema({ group: "", version: "v1", kind: "PodTemplateSpec" })?.fields.has("kind")).toBe(false);
  expect(objectMetaSchema().fields.has("kind")).toBe(false);
});

const schemaOf = (kind: string, apiVersion = "v1") => {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return builtinSchema({ group, version, kind });
};
const member = (kind: string, apiVersion: string, name: string): TypeSchema | undefined =>
  schemaOf(kind, apiVersion)?.fields.get(name)?.schema;

it.each([
  ["Pod", "v1", true],
  ["Pod", "v2", false],
  ["Pod", "apps/v1", false],
  ["DeleteOptions", "apps/v1", true],
  ["DeleteOptions", "apps/v2", false],
  ["Status", "v1", true],
  ["PartialObjectMetadata", "meta.k8s.io/v1", true],
  ["PartialObjectMetadata", "meta.k8s.io/v1beta1", true],
  ["Nope", "v1", false],
  ["NopeList", "v1", false],
  ["List", "v1", true],
])("knows %s of %s: %s", (kind, apiVersion, isKnown) => {
  expect(schemaOf(kind, apiVersion) !== undefined).toBe(isKnown);
});

it.each([
  ["PodTemplateSpec", false],
  ["JobTemplateSpec", false],
  ["Status", true],
  ["APIGroup", true],
  ["APIResourceList", true],
  ["APIVersions", true],
  ["PodExecOptions", true],
  ["PodLogOptions", true],
  ["NodeProxyOptions", true],
  ["ListOptions", true],
  ["ObjectReference", false],
  ["ListMeta", false],
])("gives %s a type of its own: %s", (kind, isKind) => {
  const schema = schemaOf(kind) ?? schemaOf(kind, kind === "JobTemplateSpec" ? "batch/v1" : "meta.k8s.io/v1");
  expect([...(schema?.fields.keys() ?? [])].slice(0, 2).join() === "apiVersion,kind").toBe(isKind);
});

it("knows what is free JSON, and what is one of several types", () => {
  expect(member("ControllerRevision", "apps/v1", "data")).toEqual({ type: "any", atomic: true, name: "RawExtension" });
  expect(member("JSONSchemaProps", "apiextensions.k8s.io/v1", "default")).toEqual({
    type: "any",
    atomic: false,
    name: "JSON",
  });
  const props = { type: "object", name: "JSONSchemaProps" };
  expect(member("JSONSchemaProps", "apiextensions.k8s.io/v1", "additionalProperties")).toMatchObject({
    ...{ type: "either", name: "JSONSchemaPropsOrBool", object: props, other: { type: "scalar", scalar: "bool" } },
  });
  expect(member("JSONSchemaProps", "apiextensions.k8s.io/v1", "items")).toMatchObject({
    ...{ type: "either", name: "JSONSchemaPropsOrArray", object: props },
    other: { type: "list", items: props, topology: "atomic", keys: [] },
  });
  expect(member("JSONSchemaProps", "apiextensions.k8s.io/v1", "dependencies")).toMatchObject({
    type: "map",
    values: { type: "either", object: props, other: { type: "list", isWrapped: true } },
  });
});

it("makes lists from their items", () => {
  expect(schemaOf("ConfigMapList")?.fields.get("items")).toMatchObject({
    ...{ number: 2, required: true, alwaysPrinted: true, declaredTopology: "unstated" },
    schema: { type: "list", items: { name: "ConfigMap" } },
  });
  expect(schemaOf("ConfigMapList")?.fields.get("metadata")).toMatchObject({ number: 1, schema: { name: "ListMeta" } });
});

it("knows shared types, and no others", () => {
  expect(listMetaSchema().name).toBe("ListMeta");
  expect(sharedType("version", "Info").name).toBe("Info");
  expect(() => sharedType("meta/v1", "Nope")).toThrow("type table: no type meta/v1.Nope");
});
