import type { FieldSchema, ObjectSchema, ScalarName, ScalarSchema, TypeSchema } from "@kubewright/codec/schema";
import { descriptionOf, memberDescription } from "./descriptions.ts";
import { unionsOf } from "./unions.ts";

export type Json = Readonly<Record<string, unknown>>;

/** OpenAPI versions of published models. */
export type Dialect = "v2" | "v3";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types that documents refer to by name, although they are plain values in JSON. */
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

/** Location of models in a document. */
const modelsAt: Readonly<Record<Dialect, string>> = { v2: "#/definitions/", v3: "#/components/schemas/" };

/** Collects the models of one document: every referenced type, once. */
export class SchemaModels {
  readonly dialect: Dialect;
  readonly #models = new Map<string, Json>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Every model, sorted by name. */
  get all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#models].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns a reference to a model of this document. */
  referenceTo(model: string): { $ref: string } {
    return { $ref: `${modelsAt[this.dialect]}${model}` };
  }

  /** Adds an existing model. */
  add(name: string, model: Json): void {
    this.#models.set(name, model);
  }

  /** Adds a named type and the types it refers to; `kinds` are its groups, versions and kinds. */
  addType(schema: ObjectSchema, kinds: readonly Json[] = []): string {
    if (schema.ofType) return this.addType(schema.ofType, kinds);
    const name = schema.modelName ?? "";
    const shown = kinds.length > 0 ? kinds : ownKind(schema);
    const known = this.#models.get(name);
    if (known && (kinds.length === 0 || known["x-kubernetes-group-version-kind"])) return name;
    this.#models.set(name, {}); // ends the recursion for types that refer to themselves
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

  /** v2 has no defaults. */
  #default(value: unknown): Json {
    return this.dialect === "v2" || value === undefined ? {} : { default: value };
  }

  /** Returns the schema of a value: a reference if its type has a name. `enumValues` are those of its items. */
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
    const fallback = this.#default(zeroOf(schema));
    const siblings = { ...fallback, ...(enumValues ? { enum: enumValues } : {}) };
    if (this.dialect === "v2" || Object.keys(siblings).length === 0) return { ...value, ...siblings };
    return { ...wrapped(value), ...siblings };
  }

  #named(name: string): Json {
    const [model, v3, v2 = v3] = namedValues[name] ?? [name, {}];
    this.#models.set(model, this.dialect === "v2" ? v2 : v3);
    return this.referenceTo(model);
  }
}

/** Returns group, version and kind of a type that is a kind. */
function ownKind({ apiVersion = "", name = "", fields }: ObjectSchema): readonly Json[] {
  if (apiVersion === "meta/v1")
    return name.startsWith("API") && fields.has("apiVersion") ? [kindOf("", "v1", name)] : [];
  if (!fields.has("apiVersion") || !fields.has("metadata")) return [];
  const at = apiVersion.indexOf("/");
  return [kindOf(apiVersion.slice(0, Math.max(at, 0)), apiVersion.slice(at + 1), name)];
}

const kindOf = (group: string, version: string, kind: string): Json => ({ group, kind, version });

/** Upstream has no descriptions for these members, so their references stand alone. */
const isDescribed = (model: string | undefined, member: string): boolean =>
  model === `${extensions}.JSONSchemaProps` ? member === "default" : model !== "io.k8s.api.networking.v1.IngressRule";

/** In OpenAPI 3.0, a reference may have no siblings, so it is wrapped in `allOf`. */
const wrapped = (schema: Json): Json => ("$ref" in schema ? { allOf: [schema] } : schema);

/** Returns Go's output for an unset field that it always prints. */
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
