import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "./event-handler.ts";

/**
 * A handler that hears only of objects that match. One that begins to match is added to it, one that ends to match is deleted.
 *
 * @see client-go tools/cache FilteringResourceEventHandler
 */
export function filteringHandler<T extends KubeObject>(
  matches: (object: DeepReadonly<T>) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  return {
    added: (object, isInInitialList) => (matches(object) ? handler.added?.(object, isInInitialList) : undefined),
    updated: (old, object) => {
      const did = matches(old);
      const does = matches(object);
      if (did && does) return handler.updated?.(old, object);
      if (does) return handler.added?.(object, false);
      return did ? handler.deleted?.(old, false) : undefined;
    },
    deleted: (object, isFinalStateUnknown) =>
      matches(object) ? handler.deleted?.(object, isFinalStateUnknown) : undefined,
  };
}
