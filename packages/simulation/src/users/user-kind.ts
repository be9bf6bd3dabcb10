import { pluralOf, type StructuralSchema } from "@kubewright/apimachinery";
import type { TouchedResource } from "../cluster/cluster-object.ts";

/** A kind whose objects users create: a kind from `defineKind`, or a version of a CRD. */
export interface UserKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural name. Default: the English plural of `kind`. */
  readonly plural?: string | undefined;
  /** Scope of the kind. Default `Namespaced`. */
  readonly scope?: "Namespaced" | "Cluster" | undefined;
  /** The kind's CRD. Absent for built-in kinds. */
  readonly crd?: object | undefined;
}

interface Definition {
  readonly spec?: {
    readonly versions?: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: StructuralSchema } | undefined;
    }[];
  };
}

/** Returns the schema of a kind's objects, or undefined for a built-in kind. */
export function schemaOf({ crd, version }: UserKind): StructuralSchema | undefined {
  const { spec }: Definition = crd ?? {}; // the API server validates it
  return spec?.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
}

/** Returns the resource to which a kind's objects belong. */
export const resourceOf = ({ group, version, kind, plural = pluralOf(kind), scope }: UserKind): TouchedResource => ({
  group,
  version,
  resource: plural,
  isNamespaced: scope !== "Cluster",
});

export const apiVersionOfKind = ({ group, version }: UserKind): string =>
  group === "" ? version : `${group}/${version}`;
