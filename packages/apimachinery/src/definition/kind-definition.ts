import type { Scope } from "../object/kind.ts";
import type { ValidationRule } from "../schema/structural-schema.ts";
import type { PrinterColumn, ScaleSubresource } from "./custom-resource-definition.ts";

/** CEL rules, grouped by the part of the object that `self` refers to: the whole object (`""`), its spec or its status. */
export interface KindRules {
  readonly ""?: readonly ValidationRule[] | undefined;
  readonly spec?: readonly ValidationRule[] | undefined;
  readonly status?: readonly ValidationRule[] | undefined;
}

/** Definition of a kind: the argument of `defineKind`. */
export interface KindDefinition<Spec, Status, SpecRequired extends boolean = boolean> {
  /** API group: a domain name such as `shop.example.com`. */
  readonly group: string;
  /** Version, such as `v1`, `v1beta1` or `v1alpha2`. */
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural name. Default: the English plural of `kind`. */
  readonly plural?: string | undefined;
  /** Lower-case singular name. Default: `kind` in lower case. */
  readonly singular?: string | undefined;
  /** Short names for command lines, such as `deploy`. Default: none. */
  readonly shortNames?: readonly string[] | undefined;
  /** Categories, such as `all`: `kubectl get all` lists all kinds in that category. Default: none. */
  readonly categories?: readonly string[] | undefined;
  readonly scope: Scope;
  /** JSON schema for `spec` with a static type, from typebox or {@link typedSchema}. */
  readonly spec?: Spec | undefined;
  /** False if objects without `spec` are valid. Default true, unless the schema of `spec` has a default. */
  readonly specRequired?: SpecRequired | undefined;
  /** JSON schema for `status`. If set, the kind has a status subresource. */
  readonly status?: Status | undefined;
  /** Columns that `kubectl get` shows after the name. Default: only the age. */
  readonly columns?: readonly PrinterColumn[] | undefined;
  /** Description of the kind, shown by `kubectl explain`. */
  readonly description?: string | undefined;
  /** True to keep fields that are not in the schema. Default false. */
  readonly preserveUnknownFields?: boolean | undefined;
  /** Fields that field selectors can use, as paths such as `.spec.color`. Default: none. */
  readonly selectableFields?: readonly string[] | undefined;
  /** Fields for the scale subresource. If set, the kind has a scale subresource. */
  readonly scale?: ScaleSubresource | undefined;
  /**
   * Rules for the object, its spec or its status, created by {@link cel}. To set rules for other fields, use {@link withRules} in their
   * schemas.
   */
  readonly rules?: KindRules | undefined;
  /**
   * True or a string to deprecate the version, so that clients that use it receive a warning. A string must state what to do instead, such as
   * `use v1`; it is appended to the warning. Default false.
   */
  readonly deprecated?: boolean | string | undefined;
  /** False to hide the version from clients, for a version that exists only because some objects are stored in it. Default true. */
  readonly served?: boolean | undefined;
  /** Labels for the CustomResourceDefinition. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Annotations for the CustomResourceDefinition. Default: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}
