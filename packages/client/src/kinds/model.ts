import type { V1JSONSchemaProps } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind, KubeObject, ObjectMeta, Scope, Unstored } from "@kubewright/apimachinery";

/** RFC 3339 in UTC, to the second (`rfc3339` of `@kubewright/clock`): how times are on the wire. */
export type Time = string;

/** RFC 3339 with six fraction digits (`rfc3339Micro`). */
export type MicroTime = string;

/** A JSON schema as CustomResourceDefinitions hold it. */
export type JSONSchemaProps = Omit<
  { [K in keyof V1JSONSchemaProps as SchemaName<K>]: Wire<V1JSONSchemaProps[K]> },
  "items" | "additionalProperties" | "additionalItems"
> & {
  items?: JSONSchemaProps | JSONSchemaProps[];
  additionalProperties?: JSONSchemaProps | boolean;
  additionalItems?: JSONSchemaProps | boolean;
};

/** client-node renames what JavaScript reserves; these are the names on the wire again. */
type WireName<K> = K extends `_${infer Name}` ? Name : K;
type SchemaName<K> = K extends "ref" | "schema"
  ? `$${K}`
  : K extends `x_kubernetes_${infer Rest}`
    ? `x-kubernetes-${Dashed<Rest>}`
    : WireName<K>;
type Dashed<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : S;

type IsAny<T> = 0 extends 1 & T ? true : false;

/** A client-node model as it is on the wire: times are strings, names are the API's, untyped parts are `unknown`. */
export type Wire<T> =
  IsAny<T> extends true ? unknown : T extends Date ? Time : IsSchema<T> extends true ? JSONSchemaProps : WireFields<T>;

/** A model that shares some optional fields with a schema (`type`, say) is assignable to it; one with all of them is it. */
type IsSchema<T> = string extends keyof T ? false : keyof V1JSONSchemaProps extends keyof T ? true : false;

type WireFields<T> = T extends readonly (infer E)[]
  ? Wire<E>[]
  : T extends object
    ? { [K in keyof T as WireName<K>]: K extends "metadata" ? Partial<ObjectMeta> : Wire<T[K]> }
    : T;

/** An object type made from a client-node model; `Required` fields are those the server always fills or insists on. */
export type Model<T, Required extends keyof T = never> = KubeObject & {
  [K in keyof T as K extends "apiVersion" | "kind" | "metadata" | Required ? never : WireName<K>]: Wire<T[K]>;
} & { [K in Required]-?: Wire<NonNullable<T[K]>> };

/** As {@link Model}, of objects that the server answers and does not store. */
export type UnstoredModel<T, Required extends keyof T = never> = Model<T, Required> & Unstored;

/** A kind that every API server has. */
export function builtIn<T extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope: Scope,
): Kind<T> {
  return Object.freeze({ group, version, kind, plural, scope });
}
