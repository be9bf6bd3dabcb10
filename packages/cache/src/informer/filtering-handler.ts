import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "./event-handler.ts";

/**
 * Returns a handler that receives only objects that match. An object that starts to match is reported as added, one that stops matching as
 * deleted.
 *
 * If `matches` throws for an object, the object counts as not matching. The error is rethrown after the handler has been called, so that
 * the informer logs it.
 *
 * @see client-go tools/cache FilteringResourceEventHandler
 */
export function filteringHandler<T extends KubeObject>(
  matches: (object: Stored<DeepReadonly<T>>) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  /** Makes a call with a version of `matches` that does not throw, and rethrows the first error of `matches` afterwards. */
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
