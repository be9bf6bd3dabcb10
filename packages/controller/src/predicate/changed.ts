import type { Predicate } from "./predicate.ts";

// Predicates on updates: creates, deletes and generic events pass them all.

/** Updates that changed anything; a resync does not. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "update" || event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion;

/** Updates of what is wanted (`spec`, mostly): those of status and metadata leave the generation as it is. */
export const generationChanged: Predicate = (event) =>
  event.type !== "update" || event.object.metadata.generation !== event.old.metadata.generation;

export const labelChanged: Predicate = (event) =>
  event.type !== "update" || !sameEntries(event.object.metadata.labels, event.old.metadata.labels);

export const annotationChanged: Predicate = (event) =>
  event.type !== "update" || !sameEntries(event.object.metadata.annotations, event.old.metadata.annotations);

type Entries = Readonly<Record<string, string>>;

function sameEntries(a: Entries = {}, b: Entries = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
