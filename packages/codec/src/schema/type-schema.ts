/**
 * Describes the shape of a value, for decoding, pruning, strategic merge, server-side apply and OpenAPI documents. Used
 * both for built-in types and for custom resources' schemas.
 *
 * Nodes for named types resolve their fields on first use, because types may be recursive. Therefore, never walk a
 * schema without a value.
 */
export type TypeSchema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema | EitherSchema;

/** Properties common to all schemas. */
export interface SchemaNode {
  /** True if `null` is a distinct value, rather than a sign that the value is absent. Only in custom resources. */
  readonly nullable?: boolean;
}

/** A value with known members. */
export interface ObjectSchema extends SchemaNode {
  readonly type: "object";
  /** Short name, such as `Container`. Absent for nodes in the schemas of custom resources, which have no names. */
  readonly name?: string | undefined;
  /** Name in OpenAPI documents, such as `io.k8s.api.core.v1.Container`. */
  readonly modelName?: string | undefined;
  /** Group version of a built-in type, such as `apps/v1`. */
  readonly apiVersion?: string | undefined;
  /** The original type, if this type is a copy for a field that server-side apply treats differently (as a whole, or member by member). */
  readonly ofType?: ObjectSchema | undefined;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Schema of all fields that are not in `fields`. If absent, such fields are not permitted. */
  readonly rest?: TypeSchema | undefined;
  /** True if server-side apply treats the value as a whole. */
  readonly atomic?: boolean | undefined;
  /**
   * True for the root of a custom resource and for an embedded resource. Their `apiVersion`, `kind` and `metadata` have the same schema as
   * in every object.
   */
  readonly isResource?: boolean | undefined;
  /** The OpenAPI v3 schema to publish, unless it is derived from the fields. */
  readonly published?: Readonly<Record<string, unknown>> | undefined;
}

/** A map whose values all have the same type. */
export interface MapSchema extends SchemaNode {
  readonly type: "map";
  readonly values: TypeSchema;
  readonly atomic?: boolean;
}

/** A list whose items all have the same type. */
export interface ListSchema extends SchemaNode {
  readonly type: "list";
  readonly items: TypeSchema;
  /** Semantics of the list in server-side apply: one value, a set of scalars, or items identified by keys. */
  readonly topology: "atomic" | "set" | "map";
  /** The key fields of a `map` list. */
  readonly keys: readonly string[];
  /** True if the list is a separate message in protobuf (such as `ExtraValue` or `Verbs`) instead of a repeated field of its parent. */
  readonly isWrapped?: boolean | undefined;
}

/**
 * The scalar types that built-in types use. In JSON, `Time`, `MicroTime`, `Duration` and `Quantity` are strings,
 * `bytes` is base64 text, and `IntOrString` is a number or a string.
 */
export type ScalarName =
  | "string"
  | "int32"
  | "int64"
  | "uint8"
  | "bool"
  | "double"
  | "bytes"
  | "Time"
  | "MicroTime"
  | "Duration"
  | "Quantity"
  | "IntOrString";

/** A value without members. */
export interface ScalarSchema extends SchemaNode {
  readonly type: "scalar";
  readonly scalar: ScalarName;
}

/** Schema for any JSON value. */
export interface AnySchema extends SchemaNode {
  readonly type: "any";
  /** True if server-side apply treats the value as a whole; otherwise, its maps are granular and its lists atomic. */
  readonly atomic: boolean;
  /** Name of upstream's type, such as `RawExtension`. */
  readonly name?: string | undefined;
}

/** A value that has one of two shapes, distinguished by its JSON type, such as the `JSONSchemaPropsOr…` types in CRDs. */
export interface EitherSchema extends SchemaNode {
  readonly type: "either";
  readonly name: string;
  readonly object: TypeSchema;
  readonly other: ScalarSchema | ListSchema;
}

/** A member of an {@link ObjectSchema}. */
export interface FieldSchema {
  readonly name: string;
  readonly schema: TypeSchema;
  readonly required: boolean;
  /** Protobuf field number; 0 if the field has none. */
  readonly number: number;
  /**
   * The type that upstream inlines. In JSON, its fields belong to the parent, but in protobuf, its message is nested under this field's
   * number.
   */
  readonly inlinedIn?: ObjectSchema | undefined;
  /** True if the field is a pointer in Go, so that an absent value differs from zero. */
  readonly pointer: boolean;
  /** True if Go serializes the field even when it is empty. */
  readonly alwaysPrinted: boolean;
  /** Strategies for strategic merge: `merge`, `replace` or `retainKeys`. */
  readonly patchStrategies: readonly string[];
  /** Name of the key that identifies list items in strategic merge. */
  readonly patchMergeKey?: string | undefined;
  /** Default value if the member is absent. */
  readonly default?: unknown;
  /** Values that OpenAPI documents list for the field or, in a list or map, for its items. They are not used for validation. */
  readonly enumValues?: readonly string[] | undefined;
  /** True if OpenAPI documents show the zero value as the default, although the server does not set it. */
  readonly publishesZero?: boolean | undefined;
  /** Topology that upstream declares for this field in addition to the topology of its type. OpenAPI documents show it. */
  readonly declaredTopology?: "granular" | "atomic" | "unstated" | undefined;
}

/** Returns the schema of a scalar. */
export const scalar = (name: ScalarName): ScalarSchema => ({ type: "scalar", scalar: name });

/** Schema for any JSON value, with granular maps and atomic lists. Called "deduced" in upstream. */
export const deduced: AnySchema = { type: "any", atomic: false };

/** Schema for any JSON value that server-side apply treats as a unit. */
export const untyped: AnySchema = { type: "any", atomic: true };

/** Returns the schema of an object's or map's member, or `undefined` if the member is not permitted. */
export function memberSchema(schema: TypeSchema, name: string): TypeSchema | undefined {
  switch (schema.type) {
    case "object":
      return schema.fields.get(name)?.schema ?? schema.rest;
    case "map":
      return schema.values;
    case "any":
      return schema.atomic ? untyped : deduced;
    case "either":
      return memberSchema(schema.object, name);
    default:
      return undefined;
  }
}
