import type { V1Condition, V1JSONSchemaProps } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Condition, Kind, KubeObject, ObjectMeta, Scope, Unstored } from "@kubewright/apimachinery";

/** A timestamp in API format: RFC 3339 in UTC, to the second (see `rfc3339` in `@kubewright/clock`). */
export type Time = string;

/** A timestamp in API format: RFC 3339 with six fractional digits (see `rfc3339Micro`). */
export type MicroTime = string;

/** A JSON schema as used in CustomResourceDefinitions. */
export type JSONSchemaProps = Omit<
  {
    [K in keyof V1JSONSchemaProps as K extends "ref" | "schema"
      ? `$${K}`
      : K extends `x_kubernetes_${infer A}_${infer B}_${infer C}`
        ? `x-kubernetes-${A}-${B}-${C}`
        : K extends `x_kubernetes_${infer A}_${infer B}`
          ? `x-kubernetes-${A}-${B}`
          : K extends `x_kubernetes_${infer A}`
            ? `x-kubernetes-${A}`
            : K extends `_${infer Name}`
              ? Name
              : K]: Wire<V1JSONSchemaProps[K]>;
  },
  "items" | "additionalProperties" | "additionalItems"
> & {
  items?: JSONSchemaProps | JSONSchemaProps[];
  additionalProperties?: JSONSchemaProps | boolean;
  additionalItems?: JSONSchemaProps | boolean;
};

/**
 * A client-node model as sent on the wire: times are strings, fields have their API names, and untyped parts are
 * `unknown`. A model with all fields of a JSON schema becomes {@link JSONSchemaProps}; a model that shares only some
 * optional fields with it, such as `type`, does not.
 */
export type Wire<T> = 0 extends 1 & T
  ? unknown
  : T extends Date
    ? Time
    : T extends V1Condition
      ? Condition
      : (string extends keyof T ? false : keyof V1JSONSchemaProps extends keyof T ? true : false) extends true
        ? JSONSchemaProps
        : T extends readonly (infer E)[]
          ? Wire<E>[]
          : T extends object
            ? {
                // client-node renames properties with names reserved in JavaScript
                [K in keyof T as K extends `_${infer Name}` ? Name : K]: K extends "metadata"
                  ? Partial<ObjectMeta>
                  : Wire<T[K]>;
              }
            : T;

/** An object type derived from a client-node model. `Required` lists fields that the server always sets or requires. */
export type Model<T, Required extends keyof T = never> = KubeObject & {
  [K in keyof T as K extends "apiVersion" | "kind" | "metadata" | Required
    ? never
    : K extends `_${infer Name}`
      ? Name
      : K]: Wire<T[K]>;
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
