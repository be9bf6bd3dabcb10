import type { Kind, Scope } from "../object/kind.ts";
import { mappingOf } from "../object/rest-mapper.ts";
import type { CustomResourceDefinitionManifest } from "./custom-resource-definition.ts";

/** A kind in a description of what a program works with. */
export interface DescribedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  /** Of kinds that have their definition with them. */
  readonly crd?: CustomResourceDefinitionManifest | undefined;
}

/** What can be told of a kind without asking a server: a plural that it does not say is guessed, a scope `Namespaced`. */
export function describedResource(kind: Kind & { readonly crd?: unknown }): DescribedResource {
  const { gvk, gvr, scope } = mappingOf(kind);
  const crd = isDefinition(kind.crd) ? { crd: kind.crd } : {};
  return { ...gvk, plural: gvr.resource, scope, ...crd };
}

const isDefinition = (value: unknown): value is CustomResourceDefinitionManifest =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "CustomResourceDefinition";
