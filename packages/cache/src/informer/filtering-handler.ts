import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "./event-handler.ts";

/**
 * A handler that hears only of objects that match. One that begins to match is added to it, one that ends to match is deleted.
 *
 * An object on which `matches` throws does not match: what it threw is thrown once the handler has been told what that means.
 *
 * @see client-go tools/cache FilteringResourceEventHandler
 */
export function filteringHandler<T extends KubeObject>(
  matches: (object: Stored<DeepReadonly<T>>) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  /** Calls with what matches, and then throws what `matches` threw. */
  const judging = (
    call: (judge: (object: Stored<DeepReadonly<T>>) => boolean) => void | Promise<void>,
  ): void | Promise<void> => {
    const thrown: unknown[] = [];
    const result = call((object) => {
      try {
        return matches(object);
      } catch (error) {
        thrown.push(error);
        return false;
      }
    });
    if (thrown.length === 0) return result;
    const fail = (): never => {
      throw thrown[0];
    };
    return result ? result.then(fail) : fail();
  };
  return {
    added: (object, isInInitialList) =>
      judging((judge) => (judge(object) ? handler.added?.(object, isInInitialList) : undefined)),
    updated: (old, object) =>
      judging((judge) => {
        const did = judge(old);
        const does = judge(object);
        if (did && does) return handler.updated?.(old, object);
        if (does) return handler.added?.(object, false);
        return did ? handler.deleted?.(old, false) : undefined;
      }),
    deleted: (object, isFinalStateUnknown) =>
      judging((judge) => (judge(object) ? handler.deleted?.(object, isFinalStateUnknown) : undefined)),
  };
}
