import { isRecord } from "@kubewright/apimachinery";
import { listMetaSchema, objectMetaSchema } from "@kubewright/codec/schema";
import type { ServedResource } from "../../registry/resource.ts";
import {
  embeddedTypeMetaDescriptions,
  listItemsDescription,
  listMetadataDescription,
  objectMetadataDescription,
  typeMetaDescriptions,
} from "./descriptions.ts";
import { publishedInV2 } from "./published-v2.ts";
import type { KindModels } from "./resource-routes.ts";
import type { Json, SchemaModels } from "./schema-models.ts";

const described = (description: string): Json => ({ description, type: "string" });
const typeMeta = {
  apiVersion: described(typeMetaDescriptions.apiVersion),
  kind: described(typeMetaDescriptions.kind),
};
const embeddedTypeMeta = {
  apiVersion: described(embeddedTypeMetaDescriptions.apiVersion),
  kind: described(embeddedTypeMetaDescriptions.kind),
};

/**
 * Adds the models for a custom resource and its list, derived from the schema in the CRD.
 *
 * @see apiextensions-apiserver pkg/controller/openapi/builder
 */
export function addCustomModels(resource: ServedResource, models: SchemaModels): Pick<KindModels, "object" | "list"> {
  const { group, version, kind, listKind, schema } = resource;
  const prefix = [...group.split(".").reverse(), version].join(".");
  const names = { object: `${prefix}.${kind}`, list: `${prefix}.${listKind}` };
  const published = schema.type === "object" ? schema.published : undefined;
  const selectable = selectableFields(resource);
  models.add(names.object, {
    ...publishedModel(published, models),
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...selectable,
  });
  models.add(names.list, {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: typeMeta.apiVersion,
      items: {
        description: listItemsDescription(resource.resource),
        type: "array",
        items: models.referenceTo(names.object),
      },
      kind: typeMeta.kind,
      metadata: {
        description: listMetadataDescription,
        ...reference(models, models.addType(listMetaSchema())),
      },
    },
    "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
    ...selectable,
  });
  return names;
}

/** Returns the published model of a schema. A model without properties permits any property; a model with properties permits no others. */
function publishedModel(published: Json | undefined, models: SchemaModels): Json {
  models.addType(objectMetaSchema());
  if (!published) return { type: "object" };
  if (models.dialect === "v3") return resourceModel(withIntOrString(published), models);
  if (published["x-kubernetes-preserve-unknown-fields"] === true) return { type: "object" };
  return resourceModel(publishedInV2(published), models);
}

function resourceModel(schema: Json, models: SchemaModels): Json {
  const embedded = withEmbedded(schema, models);
  const properties = isRecord(embedded.properties) ? embedded.properties : {};
  return { ...embedded, properties: { ...properties, ...typeMeta, metadata: objectMetadata(models) } };
}

const integerOrString = [{ type: "integer" }, { type: "string" }];

/** Adds plain OpenAPI for `x-kubernetes-int-or-string`, unless the schema already contains it. */
function withIntOrString(schema: Json): Json {
  const next: Record<string, unknown> = { ...eachInside(schema, withIntOrString) };
  if (next["x-kubernetes-int-or-string"] !== true) return next;
  const isIntOrString = (value: unknown): boolean => JSON.stringify(value) === JSON.stringify(integerOrString);
  const all: unknown[] = Array.isArray(next.allOf) ? next.allOf : [];
  if (isIntOrString(next.anyOf) || all.some((each) => isRecord(each) && isIntOrString(each.anyOf))) return next;
  if (next.anyOf === undefined) next.anyOf = integerOrString;
  else next.allOf = [{ anyOf: integerOrString }, ...all];
  return next;
}

/** Returns a schema in which each inner schema has been replaced by the result of `change`. */
function eachInside(schema: Json, change: (inner: Json) => Json): Json {
  const inside = (value: unknown): unknown => (isRecord(value) ? change(value) : value);
  const next: Record<string, unknown> = { ...schema };
  if (isRecord(next.properties))
    next.properties = Object.fromEntries(Object.entries(next.properties).map(([name, value]) => [name, inside(value)]));
  if (next.items !== undefined) next.items = inside(next.items);
  if (next.additionalProperties !== undefined) next.additionalProperties = inside(next.additionalProperties);
  return next;
}

/** Adds `apiVersion`, `kind` and `metadata` to embedded resources. */
function withEmbedded(schema: Json, models: SchemaModels): Json {
  const next: Record<string, unknown> = { ...eachInside(schema, (inner) => withEmbedded(inner, models)) };
  const isOpen = next["x-kubernetes-preserve-unknown-fields"] === true && models.dialect === "v2";
  if (next["x-kubernetes-embedded-resource"] !== true || isOpen) return next;
  const required: unknown[] = Array.isArray(next.required) ? next.required : [];
  next.required = [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))];
  const properties = isRecord(next.properties) ? next.properties : {};
  next.properties = { ...properties, ...embeddedTypeMeta, metadata: objectMetadata(models) };
  return next;
}

const objectMetadata = (models: SchemaModels): Json => ({
  description: objectMetadataDescription,
  ...reference(models, models.addType(objectMetaSchema())),
});

/** Returns a reference to a model. In v3, it is wrapped in `allOf`, so that other members can be added next to it. */
const reference = (models: SchemaModels, model: string): Json =>
  models.dialect === "v3" ? { allOf: [models.referenceTo(model)] } : models.referenceTo(model);

function selectableFields({ strategy }: ServedResource): Json {
  const fields = Object.keys(strategy.selectableFields ?? {}).filter((field) => !field.startsWith("metadata."));
  if (fields.length === 0) return {};
  return { "x-kubernetes-selectable-fields": fields.map((fieldPath) => ({ fieldPath })) };
}
