import type { ReadonlyObject } from "@kubewright/apiserver/registry";

/** Returns the default class, which is marked by an annotation. If several classes are marked, returns the newest. */
export function defaultClass(
  classes: readonly ReadonlyObject[],
  annotations: readonly string[],
): ReadonlyObject | undefined {
  const created = ({ metadata }: ReadonlyObject): string => metadata.creationTimestamp ?? "";
  return classes
    .filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === "true"))
    .toSorted((a, b) => created(b).localeCompare(created(a)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
