import { expect, it } from "vitest";
import { builtinSchema, objectMetaSchema } from "./builtin-schemas.ts";
import { builtinCatalogue } from "./catalogue.ts";
import type { TypeSchema } from "./type-schema.ts";

it("has a type for every kind of the catalogue, its list and its subresources", () => {
  const missing = builtinCatalogue
    .flatMap((entry) => [entry, { ...entry, kind: entry.listKind }, ...entry.subresources.map((sub) => sub.kind)])
    .filter((gvk) => gvk.kind !== "BindingList" && !/ReviewList$/.test(gvk.kind))
    .filter((gvk) => !builtinSchema(gvk));
  expect(missing).toEqual([]);
});

it("reads every line of the table", () => {
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
