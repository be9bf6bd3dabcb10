import type { Scope } from "../object/kind.ts";
import type { ValidationRule } from "../schema/structural-schema.ts";
import type { PrinterColumn, ScaleSubresource } from "./custom-resource-definition.ts";

/** Rules in the Common Expression Language, by what they see as `self`: the whole object (`""`), its spec, its status. */
export interface KindRules {
  readonly ""?: readonly ValidationRule[] | undefined;
  readonly spec?: readonly ValidationRule[] | undefined;
  readonly status?: readonly ValidationRule[] | undefined;
}

/** What `defineKind` is given. */
export interface KindDefinition<Spec, Status, SpecRequired extends boolean = boolean> {
  /** A domain name, such as `shop.example.com`. */
  readonly group: string;
  /** Such as `v1`, `v1beta1` or `v1alpha2`. */
  readonly version: string;
  readonly kind: string;
  /** Default: the English plural of `kind`, in lower case. */
  readonly plural?: string | undefined;
  /** Default: `kind` in lower case. */
  readonly singular?: string | undefined;
  /** What people may say for the plural, such as `deploy`. Default: none. */
  readonly shortNames?: readonly string[] | undefined;
  /** Groups of kinds that people list together, such as `all`. Default: none. */
  readonly categories?: readonly string[] | undefined;
  readonly scope: Scope;
  /** JSON schema of `spec`, with a static type: typebox's, or one made by `typedSchema`. */
  readonly spec?: Spec | undefined;
  /** False: objects without a `spec` are valid too. Default true, unless the schema of `spec` has a default. */
  readonly specRequired?: SpecRequired | undefined;
  /** JSON schema of `status`. Its presence makes the status subresource. */
  readonly status?: Status | undefined;
  /** What `kubectl get` shows after the name. Default: the age alone. */
  readonly columns?: readonly PrinterColumn[] | undefined;
  /** Of the kind, for `kubectl explain`. */
  readonly description?: string | undefined;
  /** Keeps fields that the schema does not name. Default false. */
  readonly preserveUnknownFields?: boolean | undefined;
  /** Paths such as `.spec.color` that field selectors may use. */
  readonly selectableFields?: readonly string[] | undefined;
  /** Where `/scale` finds its numbers. Its presence makes the scale subresource. */
  readonly scale?: ScaleSubresource | undefined;
  /** Rules that every object must keep, made by `cel`. Those of a field within stand at its schema, put there by `withRules`. */
  readonly rules?: KindRules | undefined;
  /** The version is going away: who uses it is warned. A text says what to do instead, such as `use v1`; it ends the warning. */
  readonly deprecated?: boolean | string | undefined;
  /** False: the version is not served; it is there for objects that are stored in it. Default true. */
  readonly served?: boolean | undefined;
  /** Labels of the CustomResourceDefinition. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations of the CustomResourceDefinition. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}
