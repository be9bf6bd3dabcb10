import type { FieldSchema, ObjectSchema, ScalarName, ScalarSchema, TypeSchema } from "@kubewright/codec/schema";
import { descriptionOf, memberDescription } from "./descriptions.ts";
import { unionsOf } from "./unions.ts";

export type Json = Readonly<Record<string, unknown>>;

/** OpenAPI version for which models are published. */
export type Dialect = "v2" | "v3";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/**
 * Types with their own model, to which documents refer by name although their JSON is a plain value such as a string.
 */
const namedValues: Readonly<Record<string, readonly [model: string, v3: Json, v2?: Json]>> = {
  Time: [`${meta}.Time`, { type: "string", format: "date-time" }],
  MicroTime: [`${meta}.MicroTime`, { type: "string", format: "date-time" }],
  Duration: [`${meta}.Duration`, { type: "string" }],
  Quantity: [
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    { oneOf: [{ type: "string" }, { type: "number" }] },
    { type: "string" },
  ],
  IntOrString: [
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    { type: "string", format: "int-or-string" },
  ],
  RawExtension: ["io.k8s.apimachinery.pkg.runtime.RawExtension", { type: "object" }],
  FieldsV1: [`${meta}.FieldsV1`, { type: "object" }],
  JSON: [`${extensions}.JSON`, {}],
  JSONSchemaPropsOrBool: [`${extensions}.JSONSchemaPropsOrBool`, {}],
  JSONSchemaPropsOrArray: [`${extensions}.JSONSchemaPropsOrArray`, {}],
  JSONSchemaPropsOrStringArray: [`${extensions}.JSONSchemaPropsOrStringArray`, {}],
};

const plain: Readonly<Partial<Record<ScalarName, Json>>> = {
  string: { type: "string" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  uint8: { type: "integer", format: "byte" },
  bool: { type: "boolean" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

/** Location of the models in a document. */
const modelsAt: Readonly<Record<Dialect, string>> = { v2: "#/definitions/", v3: "#/components/schemas/" };

/** Collects the models for a document. Each referenced type is added only once. */
export class SchemaModels {
  readonly dialect: Dialect;
  readonly #models = new Map<string, Json>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** All models, sorted by name. */
  get all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#models].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns a reference to a model in this document. */
  referenceTo(model: string): { $ref: string } {
    return { $ref: `${modelsAt[this.dialect]}${model}` };
  }

  /** Adds a model that has already been built. */
  add(name: string, model: Json): void {
    this.#models.set(name, model);
  }

  /**
   * Adds the model of a named type and the models of all types that it refers to. `kinds` contains the groups, versions and kinds of the
   * type.
   */
  addType(schema: ObjectSchema, kinds: readonly Json[] = []): string {
    if (schema.ofType) return this.addType(schema.ofType, kinds);
    const name = schema.modelName ?? "";
    const shown = kinds.length > 0 ? kinds : ownKind(schema);
    const known = this.#models.get(name);
    if (known && (kinds.length === 0 || known["x-kubernetes-group-version-kind"])) return name;
    this.#models.set(name, {}); // prevents infinite recursion for types that refer to themselves
    this.#models.set(name, {
      ...this.#objectModel(schema),
      ...(shown.length > 0 ? { "x-kubernetes-group-version-kind": shown } : {}),
      ...unionsOf(name),
    });
    return name;
  }

  #objectModel(schema: ObjectSchema): Json {
    const fields = [...schema.fields.values()];
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    const description = descriptionOf(schema.modelName ?? "");
    return {
      ...(description === undefined ? {} : { description }),
      type: "object",
      ...(required.length > 0 ? { required } : {}),
      ...(fields.length > 0 ? { properties: this.#properties(fields, schema.modelName) } : {}),
      ...(schema.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    };
  }

  #properties(fields: readonly FieldSchema[], model: string | undefined): Json {
    const sorted = [...fields].sort((a, b) => (a.name < b.name ? -1 : 1));
    const isKind = sorted.some(({ name }) => name === "apiVersion");
    return Object.fromEntries(
      sorted.map((field) => {
        const description = memberDescription(model ?? "", field.name, isKind);
        const property = this.#property(field, model);
        return [field.name, description === undefined ? property : { description, ...property }];
      }),
    );
  }

  #property(field: FieldSchema, model: string | undefined): Json {
    const { patchStrategies, patchMergeKey, enumValues, schema } = field;
    const value = this.value(schema, enumValues);
    return {
      ...(this.dialect === "v3" && isDescribed(model, field.name) ? wrapped(value) : value),
      ...this.#default(defaultOf(field)),
      ...(schema.type === "scalar" && enumValues ? { enum: enumValues } : {}),
      ...topologyOf(field),
      ...(patchStrategies.length > 0 ? { "x-kubernetes-patch-strategy": patchStrategies.join(",") } : {}),
      ...(patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patchMergeKey }),
    };
  }

  /** Returns a field's default as a member of its schema. In v2, defaults are omitted. */
  #default(value: unknown): Json {
    return this.dialect === "v2" || value === undefined ? {} : { default: value };
  }

  /**
   * Returns the schema of a value, which is a reference if the value's type has a name. `enumValues` contains the permitted values of the
   * value's items.
   */
  value(schema: TypeSchema, enumValues?: readonly string[]): Json {
    switch (schema.type) {
      case "scalar":
        return plain[schema.scalar] ?? this.#named(schema.scalar);
      case "any":
      case "either":
        return schema.name === undefined ? {} : this.#named(schema.name);
      case "list":
        return { type: "array", items: this.#item(schema.items, enumValues) };
      case "map":
        return { type: "object", additionalProperties: this.#item(schema.values, enumValues) };
      case "object":
        return schema.modelName === undefined ? this.#objectModel(schema) : this.referenceTo(this.addType(schema));
    }
  }

  #item(schema: TypeSchema, enumValues: readonly string[] | undefined): Json {
    const value = this.value(schema);
    if (!enumValues) return value;
    return { ...(this.dialect === "v2" ? value : wrapped(value)), enum: enumValues };
  }

  #named(name: string): Json {
    const [model, v3, v2 = v3] = namedValues[name] ?? [name, {}];
    this.#models.set(model, this.dialect === "v2" ? v2 : v3);
    return this.referenceTo(model);
  }
}

/** Returns the group, version and kind of a type; an empty list if the type is not a kind. */
function ownKind({ apiVersion = "", name = "", fields }: ObjectSchema): readonly Json[] {
  if (apiVersion === "meta/v1")
    return name.startsWith("API") && fields.has("apiVersion") ? [kindOf("", "v1", name)] : [];
  if (!fields.has("apiVersion") || !fields.has("metadata")) return [];
  const at = apiVersion.indexOf("/");
  return [kindOf(apiVersion.slice(0, Math.max(at, 0)), apiVersion.slice(at + 1), name)];
}

const kindOf = (group: string, version: string, kind: string): Json => ({ group, kind, version });

/** Reports whether a member's reference has a description. Upstream has no descriptions for some members. */
const isDescribed = (model: string | undefined, member: string): boolean =>
  model !== `${extensions}.JSONSchemaProps` || member === "default";

/** Wraps a reference in `allOf`, because a reference in OpenAPI 3.0 must not have other members next to it. */
const wrapped = (schema: Json): Json => ("$ref" in schema ? { allOf: [schema] } : schema);

/** Returns the default of a field. For a field that Go serializes even if it is not set, this is the value that Go serializes. */
function defaultOf({ schema, pointer, alwaysPrinted, default: stated, publishesZero }: FieldSchema): unknown {
  if (stated !== undefined) return stated;
  if (publishesZero) return zeroOf(schema);
  if (pointer || (schema.type === "scalar" && !alwaysPrinted)) return undefined;
  return schema.type === "scalar" || schema.type === "object" ? zeroOf(schema) : undefined;
}

function zeroOf(schema: TypeSchema): unknown {
  if (schema.type === "object") return {};
  return schema.type === "scalar" ? zeroOfScalar(schema) : undefined;
}

function zeroOfScalar({ scalar }: ScalarSchema): unknown {
  switch (plain[scalar]?.type) {
    case "string":
      return scalar === "bytes" ? undefined : "";
    case "boolean":
      return false;
    case undefined:
      return undefined;
    default:
      return 0;
  }
}

function topologyOf({ schema, declaredTopology }: FieldSchema): Json {
  if (schema.type === "scalar") return declaredTopology ? { "x-kubernetes-list-type": declaredTopology } : {};
  if (schema.type === "map" || schema.type === "object")
    return declaredTopology ? { "x-kubernetes-map-type": declaredTopology } : {};
  if (schema.type !== "list" || schema.isWrapped || declaredTopology === "unstated") return {};
  return {
    "x-kubernetes-list-type": schema.topology,
    ...(schema.keys.length > 0 ? { "x-kubernetes-list-map-keys": schema.keys } : {}),
  };
}
