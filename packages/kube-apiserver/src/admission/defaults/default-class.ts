import type { ReadonlyObject } from "@kubewright/apiserver/registry";

/** Returns the class that an annotation marks as the default. If several classes are marked, returns the newest of them. */
export function defaultClass(
  classes: readonly ReadonlyObject[],
  annotations: readonly string[],
): ReadonlyObject | undefined {
  const created = ({ metadata }: ReadonlyObject): string => metadata.creationTimestamp ?? "";
  return classes
    .filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === "true"))
    .toSorted((a, b) => created(b).localeCompare(created(a)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
