import { ownMember } from "@kubewright/apimachinery";
import {
  deduced,
  type FieldSchema,
  type ListSchema,
  type ObjectSchema,
  objectMetaSchema,
  type ScalarName,
  scalar,
  type TypeSchema,
} from "@kubewright/codec/schema";
import type { JsonSchema } from "../definition/definition.ts";

/** Schema for values whose type is not specified. Null is as valid as any other value. */
const unspecified: TypeSchema = { ...deduced, nullable: true };

/**
 * Returns the type schema of an entire custom resource. Its `apiVersion`, `kind` and `metadata` have the same types as
 * in all other objects.
 */
export function resourceSchemaOf(schema: JsonSchema, kind: string): ObjectSchema {
  const root = objectOf(schema, true);
  return { ...root, name: kind, published: { ...schema } };
}

/** Converts a structural schema to a type schema, which contains the shape and topology but no value validations. */
export function typeSchemaOf(schema: JsonSchema): TypeSchema {
  const type = shapeOf(schema);
  return schema.nullable ? { ...type, nullable: true } : type;
}

const scalars: Readonly<Record<string, ScalarName>> = {
  string: "string",
  integer: "int64",
  number: "double",
  boolean: "bool",
};

function shapeOf(schema: JsonSchema): TypeSchema {
  if (schema["x-kubernetes-int-or-string"]) return scalar("IntOrString");
  const type = schema.type ?? "";
  if (type === "object") {
    const isEmbedded = schema["x-kubernetes-embedded-resource"] ?? false;
    const extra = schema.additionalProperties;
    if (extra !== undefined && extra !== false && !schema.properties && !isEmbedded) {
      const atomic = schema["x-kubernetes-map-type"] === "atomic";
      return { type: "map", values: extra === true ? unspecified : valuesOf(extra), ...(atomic ? { atomic } : {}) };
    }
    return objectOf(schema, isEmbedded);
  }
  if (type === "array") return listOf(schema);
  const name = ownMember(scalars, type);
  return name === undefined ? deduced : scalar(name);
}

function objectOf(schema: JsonSchema, isResource: boolean): ObjectSchema {
  const fields = new Map<string, FieldSchema>();
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    fields.set(name, fieldOf(name, typeSchemaOf(property), schema.required?.includes(name) ?? false, property.default));
  if (isResource) {
    fields.set("apiVersion", fieldOf("apiVersion", scalar("string"), false));
    fields.set("kind", fieldOf("kind", scalar("string"), false));
    fields.set("metadata", fieldOf("metadata", objectMetaSchema(), false));
  }
  const extra = schema.additionalProperties;
  const rest =
    schema["x-kubernetes-preserve-unknown-fields"] || extra === true
      ? unspecified
      : typeof extra === "object"
        ? valuesOf(extra)
        : undefined;
  return {
    type: "object",
    fields,
    ...(rest ? { rest } : {}),
    ...(schema["x-kubernetes-map-type"] === "atomic" ? { atomic: true } : {}),
    ...(isResource ? { isResource } : {}),
  };
}

/**
 * Returns the type schema of a map's values. If the values have a default, null is permitted as well, because the default replaces each
 * null later.
 */
function valuesOf(schema: JsonSchema): TypeSchema {
  const type = typeSchemaOf(schema);
  return schema.default === undefined ? type : { ...type, nullable: true };
}

function listOf(schema: JsonSchema): ListSchema {
  const topology = schema["x-kubernetes-list-type"];
  return {
    type: "list",
    items: schema.items ? typeSchemaOf(schema.items) : deduced,
    topology: topology === "map" || topology === "set" ? topology : "atomic",
    keys: topology === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [],
  };
}

function fieldOf(name: string, schema: TypeSchema, required: boolean, fallback?: unknown): FieldSchema {
  return {
    name,
    schema,
    required,
    number: 0,
    // a field of a custom resource is absent unless a client has set it, like a pointer in Go
    pointer: true,
    alwaysPrinted: false,
    patchStrategies: [],
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}
