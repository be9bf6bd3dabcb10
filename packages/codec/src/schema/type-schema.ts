/**
 * The shape of a value for decoding, pruning, strategic merge, server-side apply and OpenAPI documents. Built-in types and the schemas of
 * custom resources share it.
 *
 * Nodes of named types resolve their fields on first use, so recursive types are possible; never walk a schema without a value.
 */
export type TypeSchema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema | EitherSchema;

/** Properties that all schemas have. */
export interface SchemaNode {
  /** True if `null` is a value of its own rather than absent. Only in custom resources. */
  readonly nullable?: boolean;
}

/** A value with known members. */
export interface ObjectSchema extends SchemaNode {
  readonly type: "object";
  /** Short name, such as `Container`; absent for unnamed nodes of custom resources. */
  readonly name?: string | undefined;
  /** Name in OpenAPI documents, such as `io.k8s.api.core.v1.Container`. */
  readonly modelName?: string | undefined;
  /** For built-in types: group version of the type, such as `apps/v1`. */
  readonly apiVersion?: string | undefined;
  /** The type itself, if a field has different ownership than the type. */
  readonly ofType?: ObjectSchema | undefined;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Schema of other fields; if absent, no other fields are permitted. */
  readonly rest?: TypeSchema | undefined;
  /** True if server-side apply owns the value as a whole. */
  readonly atomic?: boolean | undefined;
  /**
   * True for the root of a custom resource, or an embedded resource: its `apiVersion`, `kind` and `metadata` are the same as in every
   * object.
   */
  readonly isResource?: boolean | undefined;
  /** The OpenAPI v3 schema to publish, if it is not derived from the fields. */
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
  /** True if it is a separate message in protobuf (`ExtraValue`, `Verbs`) rather than repeated fields of the parent. */
  readonly isWrapped?: boolean | undefined;
}

/**
 * The scalars of built-in types. In JSON, `Time`, `MicroTime`, `Duration` and `Quantity` are strings, `bytes` is base64 text, and
 * `IntOrString` is a number or a string.
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

/** Any JSON value. */
export interface AnySchema extends SchemaNode {
  readonly type: "any";
  /** True if server-side apply owns it as a whole; otherwise its maps are granular and its lists atomic. */
  readonly atomic: boolean;
  /** Upstream's type, such as `RawExtension`. */
  readonly name?: string | undefined;
}

/** One of several shapes, distinguished by the JSON type: the `JSONSchemaPropsOr…` types of CRDs. */
export interface EitherSchema extends SchemaNode {
  readonly type: "either";
  readonly name: string;
  readonly object: TypeSchema;
  readonly other: ScalarSchema | ListSchema;
}

/** One member of an {@link ObjectSchema}. */
export interface FieldSchema {
  readonly name: string;
  readonly schema: TypeSchema;
  readonly required: boolean;
  /** Protobuf field number; 0 if there is none. */
  readonly number: number;
  /** Inlined upstream: its message is nested in protobuf under this field's number. */
  readonly inlinedIn?: ObjectSchema | undefined;
  /** True if an absent value differs from zero. */
  readonly pointer: boolean;
  /** True if Go prints it even when empty. */
  readonly alwaysPrinted: boolean;
  /** For strategic merge: `merge`, `replace`, `retainKeys`. */
  readonly patchStrategies: readonly string[];
  /** Key that identifies list items in strategic merge. */
  readonly patchMergeKey?: string | undefined;
  /** Default of an absent member. */
  readonly default?: unknown;
  /** Values listed in documents (for a list or map, its items' values). They are not used for validation. */
  readonly enumValues?: readonly string[] | undefined;
  /** True if documents show the zero value as the default, although it is not filled in. */
  readonly publishesZero?: boolean | undefined;
  /** Upstream's topology for this field in addition to its type's, shown in documents. */
  readonly declaredTopology?: "granular" | "atomic" | "unstated" | undefined;
}

/** Returns the schema of a scalar. */
export const scalar = (name: ScalarName): ScalarSchema => ({ type: "scalar", scalar: name });

/** Any JSON with granular maps and atomic lists: upstream calls it deduced. */
export const deduced: AnySchema = { type: "any", atomic: false };

/** Any JSON that server-side apply owns as a whole. */
export const untyped: AnySchema = { type: "any", atomic: true };

/** Returns the schema of an object's or map's member; `undefined` if the member is not permitted. */
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
