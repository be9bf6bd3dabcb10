import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";

/**
 * A change to an object, as reported by a source to a controller. Not to be confused with Kubernetes Event objects,
 * which a recorder writes.
 *
 * @see controller-runtime pkg/event
 */
export type ObjectEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "create"; readonly object: DeepReadonly<T>; readonly isInInitialList?: boolean | undefined }
  | { readonly type: "update"; readonly object: DeepReadonly<T>; readonly old: DeepReadonly<T> }
  | { readonly type: "delete"; readonly object: DeepReadonly<T>; readonly isFinalStateUnknown?: boolean | undefined }
  | { readonly type: "generic"; readonly object: DeepReadonly<T> };

/**
 * Returns an event's objects, the new one first. Custom sources may deliver an update without its old or new object, or
 * an event without any object.
 */
export function objectsOf<T extends KubeObject>(event: ObjectEvent<T>): DeepReadonly<T>[] {
  const objects = event.type === "update" ? [event.object, event.old] : [event.object];
  return objects.filter((object) => object !== undefined && object !== null);
}

/** Reports whether a value is a promise, native or not. Needed because untyped handlers may return anything. */
export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
