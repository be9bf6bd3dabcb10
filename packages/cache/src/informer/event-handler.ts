import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";

/**
 * Callbacks for changes to objects. The calls of one handler are made in order, one at a time: if a call returns a promise, it is awaited
 * before the next call. If a call throws or rejects, the error is logged, and the next call follows after one second.
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
  /** Called after an update, and by resyncs for objects that did not change. */
  updated?(old: Stored<DeepReadonly<T>>, object: Stored<DeepReadonly<T>>): void | Promise<void>;
  /**
   * Called after a deletion.
   *
   * @param isFinalStateUnknown true if the deletion event was missed; `object` is then the last known state
   */
  deleted?(object: Stored<DeepReadonly<T>>, isFinalStateUnknown: boolean): void | Promise<void>;
}

/**
 * A handler that was added to an informer.
 *
 * @see client-go tools/cache ResourceEventHandlerRegistration
 */
export interface HandlerRegistration {
  /** Name of the handler, for logs. */
  readonly name: string;
  /** True once the handler has finished with every object of the initial list. Stays false if a call for one of them threw or rejected. */
  readonly hasSynced: boolean;
  /** Resolves to true once {@link hasSynced}; to false if the signal aborts or the handler is removed first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /**
   * Removes the handler, which is not called again. Resolves when the call in progress has ended, so a handler must not await its own
   * removal. Removing it twice has no effect.
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
