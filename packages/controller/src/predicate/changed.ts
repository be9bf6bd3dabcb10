import type { Predicate } from "./predicate.ts";

// Predicates on updates: creates, deletes and generic events pass them all.

// A source of one's own may deliver half an update; what changed in it nobody can say, and it passes none.

/** Updates that changed anything; a resync does not. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "update" ||
  (isWhole(event) && event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion);

/** Updates of what is wanted (`spec`, mostly): those of status and metadata leave the generation as it is. */
export const generationChanged: Predicate = (event) =>
  event.type !== "update" || (isWhole(event) && event.object.metadata.generation !== event.old.metadata.generation);

/**
 * Updates that changed a label: one more, one less, or another value. What is no update passes.
 *
 * @see controller-runtime pkg/predicate LabelChangedPredicate
 */
export const labelChanged: Predicate = (event) =>
  event.type !== "update" || (isWhole(event) && !sameEntries(event.object.metadata.labels, event.old.metadata.labels));

/**
 * Updates that changed an annotation, whoever wrote it: also `kubectl apply`, and controllers that keep notes
 * there. What is no update passes.
 *
 * @see controller-runtime pkg/predicate AnnotationChangedPredicate
 */
export const annotationChanged: Predicate = (event) =>
  event.type !== "update" ||
  (isWhole(event) && !sameEntries(event.object.metadata.annotations, event.old.metadata.annotations));

const isWhole = ({ object, old }: { readonly object: unknown; readonly old: unknown }): boolean =>
  Boolean(object) && Boolean(old);

type Entries = Readonly<Record<string, string>>;

function sameEntries(a: Entries = {}, b: Entries = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
