/**
 * The shape of a value: what decoding, pruning, strategic merge, server-side apply and OpenAPI documents ask. Built-in types and the
 * schemas of custom resources share it.
 *
 * Nodes of named types resolve their fields on first use, so recursive types are fine; never walk a schema without a value beside it.
 */
export type TypeSchema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema | EitherSchema;

interface SchemaNode {
  /** A `null` is a value of its own here rather than an absent one. Only in custom resources. */
  readonly nullable?: boolean;
}

/** A value with known members. */
export interface ObjectSchema extends SchemaNode {
  readonly type: "object";
  /** Short name, such as `Container`; absent for nameless nodes of custom resources. */
  readonly name?: string;
  /** Name in OpenAPI documents, such as `io.k8s.api.core.v1.Container`. */
  readonly modelName?: string;
  /** Of built-in types: where the type is defined, such as `apps/v1`. */
  readonly apiVersion?: string;
  /** The type itself, where a field owns it otherwise than the type says. */
  readonly ofType?: ObjectSchema;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** What other members are; absent: there may be none. */
  readonly rest?: TypeSchema;
  /** Server-side apply owns it as a whole. */
  readonly atomic?: boolean;
  /** The root of a custom resource, or an embedded resource: `apiVersion`, `kind` and `metadata` are those of every object. */
  readonly isResource?: boolean;
  /** The OpenAPI v3 schema to publish, where it is not made from the fields. */
  readonly published?: Readonly<Record<string, unknown>>;
}

/** A value with members of one type. */
interface MapSchema extends SchemaNode {
  readonly type: "map";
  readonly values: TypeSchema;
  readonly atomic?: boolean;
}

/** A list whose items are of one type. */
export interface ListSchema extends SchemaNode {
  readonly type: "list";
  readonly items: TypeSchema;
  /** How server-side apply sees it: as one value, as a set of scalars, or as items known by keys. */
  readonly topology: "atomic" | "set" | "map";
  /** The key fields of a `map` list. */
  readonly keys: readonly string[];
  /** On the wire a message of its own (`ExtraValue`, `Verbs`) rather than repeated fields of the parent. */
  readonly isWrapped?: boolean;
}

/**
 * The scalars of built-in types. On the wire `Time`, `MicroTime`, `Duration` and `Quantity` are strings, `bytes` is base64, and
 * `IntOrString` either.
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
  /** Server-side apply owns it as a whole; otherwise its maps are granular and its lists atomic. */
  readonly atomic: boolean;
  /** What it is upstream, such as `RawExtension`. */
  readonly name?: string;
}

/** One of several shapes, told apart by the JSON type: the `JSONSchemaPropsOr…` types of CRDs. */
interface EitherSchema extends SchemaNode {
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
  /** Protobuf field number; 0 where there is none. */
  readonly number: number;
  /** Inlined upstream: its message is nested on the wire under this field's number. */
  readonly inlinedIn?: ObjectSchema;
  /** Absent and zero differ. */
  readonly pointer: boolean;
  /** Go prints it even when empty. */
  readonly alwaysPrinted: boolean;
  /** Of strategic merge: `merge`, `replace`, `retainKeys`. */
  readonly patchStrategies: readonly string[];
  /** By which strategic merge tells list items apart. */
  readonly patchMergeKey?: string;
  /** What is filled in where the member is absent. */
  readonly default?: unknown;
  /** The values that documents name; for a list or map those of its items. Nothing is validated by them. */
  readonly enumValues?: readonly string[];
  /** Documents show the zero value as its default; nothing is filled in. */
  readonly publishesZero?: boolean;
  /** What upstream says of this field's topology beside its type's own: shown in documents. */
  readonly declaredTopology?: "granular" | "atomic" | "unstated";
}

/** The schema of a scalar. */
export const scalar = (name: ScalarName): ScalarSchema => ({ type: "scalar", scalar: name });

/** Free JSON whose maps are granular and lists atomic: what upstream calls deduced. */
export const deduced: AnySchema = { type: "any", atomic: false };

/** Free JSON that server-side apply owns as a whole. */
export const untyped: AnySchema = { type: "any", atomic: true };

/** The schema of an object's or map's member; `undefined` if it may not have that member. */
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
