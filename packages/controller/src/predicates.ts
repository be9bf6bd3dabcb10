import { type DeepReadonly, type KubeObject, labelSelectorFrom } from "@kubewright/apimachinery";
import type { ObjectEvent } from "./event.ts";

/**
 * Reports whether an event should lead to a reconcile.
 *
 * @see controller-runtime pkg/predicate Predicate
 *
 */
export type Predicate<T extends KubeObject = KubeObject> = (event: ObjectEvent<T>) => boolean;

/** Accepts events that all predicates accept, evaluated in order up to the first that does not. */
export const and =
  <T extends KubeObject = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    predicates.every((predicate) => predicate(event));

/** Accepts events that at least one predicate accepts, evaluated in order up to the first that does. */
export const or =
  <T extends KubeObject = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    predicates.some((predicate) => predicate(event));

/** Accepts exactly the events that the predicate rejects. @see controller-runtime pkg/predicate Not */
export const not =
  <T extends KubeObject = KubeObject>(predicate: Predicate<T>): Predicate<T> =>
  (event) =>
    !predicate(event);

// Predicates on updates. A custom source may deliver an incomplete update; its changes are unknown, so these predicates reject it.

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

/** Accepts events of objects whose labels match. For updates, the new object counts; if there is no new object, the event is rejected. */
export function labelSelectorMatches(selector: Parameters<typeof labelSelectorFrom>[0]): Predicate {
  const parsed = labelSelectorFrom(selector);
  return ({ object }) => Boolean(object) && parsed.matches(object.metadata.labels ?? {});
}

/** Accepts events of objects that a function selects. For updates, the new object counts. */
export const objectMatches =
  <T extends KubeObject = KubeObject>(matches: (object: DeepReadonly<T>) => boolean): Predicate<T> =>
  ({ object }) =>
    matches(object);

const isWhole = ({ object, old }: { readonly object: unknown; readonly old: unknown }): boolean =>
  Boolean(object) && Boolean(old);

type Entries = Readonly<Record<string, string>>;

function sameEntries(a: Entries = {}, b: Entries = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
