import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";

/**
 * What a program does when objects change. The calls of one handler are made in order, one at a time: a promise that a call returns
 * is awaited before the next. If a call throws or rejects, that is logged, and the next change follows after one second.
 *
 * @see client-go tools/cache ResourceEventHandlerDetailedFuncs
 */
export interface ResourceEventHandler<T extends KubeObject = KubeObject> {
  /** @param isInInitialList the object existed before the handler was added */
  added?(object: Stored<DeepReadonly<T>>, isInInitialList: boolean): void | Promise<void>;
  /** Also called by resyncs, for objects that did not change. */
  updated?(old: Stored<DeepReadonly<T>>, object: Stored<DeepReadonly<T>>): void | Promise<void>;
  /** @param isFinalStateUnknown the deletion itself was missed; `object` is what was last seen */
  deleted?(object: Stored<DeepReadonly<T>>, isFinalStateUnknown: boolean): void | Promise<void>;
}

/**
 * A handler that was added to an informer.
 *
 * @see client-go tools/cache ResourceEventHandlerRegistration
 */
export interface HandlerRegistration {
  /** For logs. */
  readonly name: string;
  /** Whether the handler has finished with every object of the initial list. It never has where it threw, or rejected, for one of them. */
  readonly hasSynced: boolean;
  /** Resolves to true once {@link hasSynced}; to false if the signal aborts or the handler is removed first. */
  synced(signal?: AbortSignal): Promise<boolean>;
  /**
   * Removes the handler, which is told of nothing more. Resolves when the call in progress has ended, so a handler must not await its
   * own removal. Removing twice does nothing.
   */
  remove(): Promise<void>;
}

/** A name for a handler, for logs. Never throws. */
export function nameOfHandler(handler: unknown): string {
  if (typeof handler !== "object" || handler === null) return String(handler);
  const name = handler.constructor?.name;
  if (name && name !== "Object") return name;
  const members = ["added", "updated", "deleted"].filter((member) => member in handler);
  return `{ ${members.join(", ")} }`;
}
