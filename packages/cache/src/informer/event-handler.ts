import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";

/**
 * Callbacks for changes to objects. The calls to a handler are made in order, one at a time. If a call returns a
 * promise, it is awaited before the next call. If a call throws or rejects, the error is logged, and the next call is
 * made one second later.
 *
 * @see client-go tools/cache ResourceEventHandlerDetailedFuncs
 */
export interface ResourceEventHandler<T extends KubeObject = KubeObject> {
  /**
   * Called for a new object.
   *
   * @param isInInitialList true if the object existed before the handler was added
   */
  added?(object: Stored<DeepReadonly<T>>, isInInitialList: boolean): void | Promise<void>;
  /** Called after an update, and during resyncs for objects that did not change. */
  updated?(old: Stored<DeepReadonly<T>>, object: Stored<DeepReadonly<T>>): void | Promise<void>;
  /**
   * Called after a deletion.
   *
   * @param isFinalStateUnknown true if the deletion event was missed; `object` is then the last known state
   */
  deleted?(object: Stored<DeepReadonly<T>>, isFinalStateUnknown: boolean): void | Promise<void>;
}

/**
 * A handler's registration with an informer.
 *
 * @see client-go tools/cache ResourceEventHandlerRegistration
 */
export interface HandlerRegistration {
  /** The handler's name, for logs. */
  readonly name: string;
  /**
   * True once the handler has processed every object of the initial list. Remains false if the call for one of these
   * objects threw or rejected.
   */
  readonly hasSynced: boolean;
  /** Resolves to true once {@link hasSynced} is true, or to false if the signal aborts or the handler is removed first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /**
   * Removes the handler. It is not called again. Resolves when the call in progress has ended, so a handler must not await its own removal.
   * Removing a handler twice has no effect.
   */
  remove(): Promise<void>;
}

/** Returns a name for a handler, for logs. Never throws. */
export function nameOfHandler(handler: unknown): string {
  if (typeof handler !== "object" || handler === null) return String(handler);
  const name = handler.constructor?.name;
  if (name && name !== "Object") return name;
  const members = ["added", "updated", "deleted"].filter((member) => member in handler);
  return `{ ${members.join(", ")} }`;
}

/**
 * Returns a handler that receives only matching objects. An object that starts to match is reported as added. An object that stops matching
 * is reported as deleted.
 *
 * If `matches` throws for an object, the object is treated as not matching. The error is rethrown after the handler has
 * been called, so that the informer logs the error.
 *
 * @see client-go tools/cache FilteringResourceEventHandler
 */
export function filteringHandler<T extends KubeObject>(
  matches: (object: Stored<DeepReadonly<T>>) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  /** Calls `call` with a version of `matches` that does not throw, then rethrows the first error that `matches` threw. */
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
