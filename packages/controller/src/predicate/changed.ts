import type { Predicate } from "./predicate.ts";

// Predicates on updates: they accept all create, delete and generic events.

// A custom source may deliver an incomplete update; its changes are unknown, so these predicates reject it.

/** Accepts updates that changed anything; rejects resyncs. Accepts all other events. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "update" ||
  (isWhole(event) && event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion);

/**
 * Accepts updates of the desired state (usually `spec`): changes of status and metadata do not change the generation. Accepts all other
 * events.
 */
export const generationChanged: Predicate = (event) =>
  event.type !== "update" || (isWhole(event) && event.object.metadata.generation !== event.old.metadata.generation);

/**
 * Accepts updates that added, removed or changed a label. Accepts all other events.
 *
 * @see controller-runtime pkg/predicate LabelChangedPredicate
 */
export const labelChanged: Predicate = (event) =>
  event.type !== "update" || (isWhole(event) && !sameEntries(event.object.metadata.labels, event.old.metadata.labels));

/**
 * Accepts updates that changed an annotation, including those by `kubectl apply` and by controllers that store data in annotations.
 * Accepts all other events.
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
