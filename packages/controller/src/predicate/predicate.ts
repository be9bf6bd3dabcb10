import type { KubeObject } from "@kubewright/apimachinery";
import type { ObjectEvent } from "../event/event.ts";

/**
 * Reports whether an event must lead to a reconcile.
 *
 * @see controller-runtime pkg/predicate Predicate
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
