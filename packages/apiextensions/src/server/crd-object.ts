import { isConditionTrue } from "@kubewright/apimachinery";
import type { CatalogueEntry } from "@kubewright/codec/schema";
import type { CustomResourceDefinition } from "../definition/definition.ts";
import type { TakenNames } from "../definition/naming.ts";

/** Group, version and plural of the resource that contains CustomResourceDefinitions. */
export const crdResource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
} as const;
export const crdPrefix = "/apiextensions.k8s.io/customresourcedefinitions/";
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export const isEstablished = ({ status }: Pick<CustomResourceDefinition, "status">): boolean =>
  isConditionTrue(status?.conditions ?? undefined, "Established");

/** Reports whether all names that a CRD requests have been accepted. */
export const hasAllNames = ({ status }: Pick<CustomResourceDefinition, "status">): boolean =>
  isConditionTrue(status?.conditions ?? undefined, "NamesAccepted");

/** Returns the names that a built-in resource uses. */
export const namesOfBuiltin = ({ resource, singular, kind, listKind, shortNames }: CatalogueEntry): TakenNames => ({
  plural: resource,
  singular,
  kind,
  listKind,
  shortNames,
});

/** Returns the names that a CRD uses: the accepted names in its status. */
export function namesOfDefinition({ status }: CustomResourceDefinition): TakenNames[] {
  const names = status?.acceptedNames;
  if (!names) return [];
  const { plural, singular = "", kind, listKind = "", shortNames = [] } = names;
  return [{ plural, singular, kind, listKind, shortNames }];
}

/** Reports whether a change to a CRD frees a name for which another CRD may be waiting. */
export function releasesNames(before: CustomResourceDefinition, now: CustomResourceDefinition): boolean {
  const held = (definition: CustomResourceDefinition): string[] =>
    namesOfDefinition(definition).flatMap(({ shortNames, ...names }) => [...Object.values(names), ...shortNames]);
  const kept = new Set(held(now));
  return held(before).some((name) => name !== "" && !kept.has(name));
}
