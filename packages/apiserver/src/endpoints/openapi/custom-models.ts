import { isRecord } from "@kubewright/apimachinery";
import type { ServedResource } from "../../registry/resource.ts";
import { listMetaSchema, objectMetaSchema } from "../../schema/builtin-schemas.ts";
import type { KindModels } from "./path-items.ts";
import { referenceTo, type SchemaModels } from "./schema-models.ts";

type Json = Readonly<Record<string, unknown>>;

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const typeMeta = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: "string",
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. More info: ${conventions}#types-kinds`,
    type: "string",
  },
} as const;

/** Adds the models of a custom resource and its list, made from the schema in its definition. */
export function addCustomModels(resource: ServedResource, models: SchemaModels): KindModels {
  const { group, version, kind, listKind, schema } = resource;
  const prefix = [...group.split(".").reverse(), version].join(".");
  const names = { object: `${prefix}.${kind}`, list: `${prefix}.${listKind}` };
  const published = (schema.type === "object" ? schema.published : undefined) ?? { type: "object" };
  const objectMeta = referenceTo(models.addType(objectMetaSchema()));
  models.add(names.object, {
    ...asResource(published, objectMeta),
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
  });
  models.add(names.list, {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      ...typeMeta,
      items: { description: `List of ${resource.resource}.`, type: "array", items: referenceTo(names.object) },
      metadata: {
        description: `Standard list metadata. More info: ${conventions}#types-kinds`,
        allOf: [referenceTo(models.addType(listMetaSchema()))],
      },
    },
    "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
  });
  return names;
}

/** A schema with the members that every resource has. */
function asResource(schema: Json, objectMeta: Json): Json {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return {
    ...schema,
    type: "object",
    properties: {
      ...properties,
      ...typeMeta,
      metadata: {
        description: `Standard object's metadata. More info: ${conventions}#metadata`,
        allOf: [objectMeta],
      },
    },
  };
}
