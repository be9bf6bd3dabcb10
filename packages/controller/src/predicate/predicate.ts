import type { KubeObject } from "@kubewright/apimachinery";
import type { ObjectEvent } from "../event/object-event.ts";

/**
 * Whether an event is worth a reconcile.
 *
 * @see controller-runtime pkg/predicate Predicate
 */
export type Predicate<T extends KubeObject = KubeObject> = (event: ObjectEvent<T>) => boolean;

/** Passes what all pass, asked in order up to the first that does not. */
export const and =
  <T extends KubeObject = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    predicates.every((predicate) => predicate(event));

/** Passes what one passes, asked in order up to the first that does. */
export const or =
  <T extends KubeObject = KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    predicates.some((predicate) => predicate(event));

/** Passes what the other does not, and nothing else. @see controller-runtime pkg/predicate Not */
export const not =
  <T extends KubeObject = KubeObject>(predicate: Predicate<T>): Predicate<T> =>
  (event) =>
    !predicate(event);
