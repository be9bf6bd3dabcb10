import type { V1JSONSchemaProps } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind, KubeObject, ObjectMeta, Scope, Unstored } from "@kubewright/apimachinery";

/** A timestamp in API format: RFC 3339 in UTC, with seconds (`rfc3339` in `@kubewright/clock`). */
export type Time = string;

/** A timestamp in API format: RFC 3339 with six fraction digits (`rfc3339Micro`). */
export type MicroTime = string;

/** A JSON schema as used in CustomResourceDefinitions. */
export type JSONSchemaProps = Omit<
  { [K in keyof V1JSONSchemaProps as SchemaName<K>]: Wire<V1JSONSchemaProps[K]> },
  "items" | "additionalProperties" | "additionalItems"
> & {
  items?: JSONSchemaProps | JSONSchemaProps[];
  additionalProperties?: JSONSchemaProps | boolean;
  additionalItems?: JSONSchemaProps | boolean;
};

/** client-node renames properties whose names are reserved in JavaScript. This type restores the API names. */
type WireName<K> = K extends `_${infer Name}` ? Name : K;
type SchemaName<K> = K extends "ref" | "schema"
  ? `$${K}`
  : K extends `x_kubernetes_${infer Rest}`
    ? `x-kubernetes-${Dashed<Rest>}`
    : WireName<K>;
type Dashed<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : S;

type IsAny<T> = 0 extends 1 & T ? true : false;

/** A client-node model in API format: times are strings, names are those of the API, and untyped parts are `unknown`. */
export type Wire<T> =
  IsAny<T> extends true ? unknown : T extends Date ? Time : IsSchema<T> extends true ? JSONSchemaProps : WireFields<T>;

/** A schema is recognized by having all schema properties. A model that has only some of them, such as `type`, is not a schema. */
type IsSchema<T> = string extends keyof T ? false : keyof V1JSONSchemaProps extends keyof T ? true : false;

type WireFields<T> = T extends readonly (infer E)[]
  ? Wire<E>[]
  : T extends object
    ? { [K in keyof T as WireName<K>]: K extends "metadata" ? Partial<ObjectMeta> : Wire<T[K]> }
    : T;

/** An object type derived from a client-node model. `Required` lists fields that the server always sets or requires. */
export type Model<T, Required extends keyof T = never> = KubeObject & {
  [K in keyof T as K extends "apiVersion" | "kind" | "metadata" | Required ? never : WireName<K>]: Wire<T[K]>;
} & { [K in Required]-?: Wire<NonNullable<T[K]>> };

/** Like {@link Model}, for objects that the server returns but does not store. */
export type UnstoredModel<T, Required extends keyof T = never> = Model<T, Required> & Unstored;

/** Creates the kind value for a built-in kind. */
export function builtIn<T extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope: Scope,
): Kind<T> {
  return Object.freeze({ group, version, kind, plural, scope });
}
