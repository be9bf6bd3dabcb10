import type { Kind, Scope } from "../object/kind.ts";
import { mappingOf } from "../object/rest-mapper.ts";
import type { CustomResourceDefinitionManifest } from "./custom-resource-definition.ts";

/** A kind in a program's description. */
export interface DescribedResource {
  /** API group. Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  /** CustomResourceDefinition, if the kind contains it. */
  readonly crd?: CustomResourceDefinitionManifest | undefined;
}

/**
 * Describes a kind without querying a server. The plural defaults to the kind's English plural, and the scope to
 * `Namespaced`.
 */
export function describedResource(kind: Kind & { readonly crd?: unknown }): DescribedResource {
  const { gvk, gvr, scope } = mappingOf(kind);
  const crd = isDefinition(kind.crd) ? { crd: kind.crd } : {};
  return { ...gvk, plural: gvr.resource, scope, ...crd };
}

const isDefinition = (value: unknown): value is CustomResourceDefinitionManifest =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "CustomResourceDefinition";
