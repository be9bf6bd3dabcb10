import { type DeepReadonly, type KubeObject, labelSelectorFrom } from "@kubewright/apimachinery";
import type { ObjectEvent } from "./event.ts";

/**
 * Decides whether an event should cause a reconcile.
 *
 * @see controller-runtime pkg/predicate Predicate
 */
export type Predicate<T extends KubeObject = KubeObject> = (event: ObjectEvent<T>) => boolean;

/**
 * Returns a predicate that accepts an event if all given predicates do. They are evaluated in order until one rejects
 * the event.
 */
export const and = <T extends KubeObject = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  named(`and(${namesOf(predicates)})`, (event) => predicates.every((predicate) => predicate(event)));

/**
 * Returns a predicate that accepts an event if at least one of the given predicates does. They are evaluated in order
 * until one accepts the event.
 */
export const or = <T extends KubeObject = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  named(`or(${namesOf(predicates)})`, (event) => predicates.some((predicate) => predicate(event)));

/**
 * Returns a predicate that accepts the events that the given one rejects, and vice versa.
 *
 * @see controller-runtime pkg/predicate Not
 */
export const not = <T extends KubeObject = KubeObject>(predicate: Predicate<T>): Predicate<T> =>
  named(`not(${namesOf([predicate])})`, (event) => !predicate(event));

// The following predicates examine updates. They reject an incomplete update from a custom source, because its changes are unknown.

/** Accepts updates that changed anything, and all other events. Rejects resyncs. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "update" ||
  (isWhole(event) && event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion);

/**
 * Accepts updates that changed the desired state (usually `spec`), and all other events. Changes to status and metadata do not change the
 * generation.
 */
export const generationChanged: Predicate = (event) =>
  event.type !== "update" || (isWhole(event) && event.object.metadata.generation !== event.old.metadata.generation);

/**
 * Accepts updates that added, removed or changed a label, and all other events.
 *
 * @see controller-runtime pkg/predicate LabelChangedPredicate
 */
export const labelChanged: Predicate = (event) =>
  event.type !== "update" || (isWhole(event) && !sameEntries(event.object.metadata.labels, event.old.metadata.labels));

/**
 * Accepts updates that changed an annotation, and all other events. Note that `kubectl apply` and some controllers
 * store data in annotations.
 *
 * @see controller-runtime pkg/predicate AnnotationChangedPredicate
 */
export const annotationChanged: Predicate = (event) =>
  event.type !== "update" ||
  (isWhole(event) && !sameEntries(event.object.metadata.annotations, event.old.metadata.annotations));

/**
 * Returns a predicate that accepts events for objects whose labels match a selector. For updates, it checks the new
 * object, and rejects the event if there is none.
 */
export function labelSelectorMatches(selector: Parameters<typeof labelSelectorFrom>[0]): Predicate {
  const parsed = labelSelectorFrom(selector);
  return named("labelSelectorMatches", ({ object }) => Boolean(object) && parsed.matches(object.metadata.labels ?? {}));
}

/**
 * Returns a predicate that accepts an event if the given function returns true for its object. For updates, the
 * function receives the new object.
 */
export const objectMatches = <T extends KubeObject = KubeObject>(
  matches: (object: DeepReadonly<T>) => boolean,
): Predicate<T> => named(`objectMatches(${matches.name})`, ({ object }) => matches(object));

/** Gives a predicate the name that inspections and log lines show. */
const named = <T extends KubeObject>(name: string, predicate: Predicate<T>): Predicate<T> =>
  Object.defineProperty(predicate, "name", { value: name });

const namesOf = <T extends KubeObject>(predicates: readonly Predicate<T>[]): string =>
  predicates.map(({ name }) => name || "(anonymous)").join(", ");

const isWhole = ({ object, old }: { readonly object: unknown; readonly old: unknown }): boolean =>
  Boolean(object) && Boolean(old);

type Entries = Readonly<Record<string, string>>;

function sameEntries(a: Entries = {}, b: Entries = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
