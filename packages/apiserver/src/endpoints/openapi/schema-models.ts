import type { FieldSchema, ObjectSchema, ScalarName, TypeSchema } from "../../schema/type-schema.ts";

type Json = Readonly<Record<string, unknown>>;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types that documents refer to by name, though JSON has them as plain values. */
const namedValues: Readonly<Record<string, readonly [model: string, schema: Json]>> = {
  Time: [`${meta}.Time`, { type: "string", format: "date-time" }],
  MicroTime: [`${meta}.MicroTime`, { type: "string", format: "date-time" }],
  Duration: [`${meta}.Duration`, { type: "string" }],
  Quantity: ["io.k8s.apimachinery.pkg.api.resource.Quantity", { oneOf: [{ type: "string" }, { type: "number" }] }],
  IntOrString: [
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
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

export const referenceTo = (model: string): { $ref: string } => ({ $ref: `#/components/schemas/${model}` });

/** Collects `components.schemas` of one document: every type that is referred to, once. */
export class SchemaModels {
  readonly #models = new Map<string, Json>();

  /** Every model, sorted by name. */
  get all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#models].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds a model made elsewhere. */
  add(name: string, model: Json): void {
    this.#models.set(name, model);
  }

  /** Adds a named type and what it refers to; `kind` marks it as a kind. */
  addType(schema: ObjectSchema, kind?: Json): string {
    const name = schema.modelName ?? "";
    if (this.#models.has(name)) return name;
    this.#models.set(name, {}); // so that a type that refers to itself ends
    this.#models.set(name, {
      ...this.#objectModel(schema),
      ...(kind ? { "x-kubernetes-group-version-kind": [kind] } : {}),
    });
    return name;
  }

  #objectModel(schema: ObjectSchema): Json {
    const fields = [...schema.fields.values()];
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    return {
      type: "object",
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#property(field)])),
      ...(schema.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
    };
  }

  #property(field: FieldSchema): Json {
    const { patchStrategies, patchMergeKey } = field;
    return {
      ...wrapped(this.value(field.schema)),
      ...(field.default === undefined ? {} : { default: field.default }),
      ...topologyOf(field.schema),
      ...(patchStrategies.length > 0 ? { "x-kubernetes-patch-strategy": patchStrategies.join(",") } : {}),
      ...(patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patchMergeKey }),
    };
  }

  /** The schema of a value: a reference where its type has a name. */
  value(schema: TypeSchema): Json {
    switch (schema.type) {
      case "scalar":
        return plain[schema.scalar] ?? this.#named(schema.scalar);
      case "any":
      case "either":
        return schema.name === undefined ? {} : this.#named(schema.name);
      case "list":
        return { type: "array", items: wrapped(this.value(schema.items)) };
      case "map":
        return { type: "object", additionalProperties: wrapped(this.value(schema.values)) };
      case "object":
        return schema.modelName === undefined ? this.#objectModel(schema) : referenceTo(this.addType(schema));
    }
  }

  #named(name: string): Json {
    const [model, schema] = namedValues[name] ?? [name, {}];
    this.#models.set(model, schema);
    return referenceTo(model);
  }
}

/** A reference may have no siblings in OpenAPI 3.0, so it stands in `allOf`. */
const wrapped = (schema: Json): Json => ("$ref" in schema ? { allOf: [schema] } : schema);

function topologyOf(schema: TypeSchema): Json {
  if (schema.type === "map" && schema.atomic) return { "x-kubernetes-map-type": "atomic" };
  if (schema.type !== "list") return {};
  return {
    "x-kubernetes-list-type": schema.topology,
    ...(schema.keys.length > 0 ? { "x-kubernetes-list-map-keys": schema.keys } : {}),
  };
}
