import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";

/**
 * What a program does about changes. Each is optional. Calls for one handler come one after the other, in order; one that
 * returns a promise is waited for before the next. A handler that throws is logged, and goes on with the next change after a
 * second.
 *
 * @see client-go tools/cache ResourceEventHandlerDetailedFuncs
 */
export interface ResourceEventHandler<T extends KubeObject = KubeObject> {
  /** `isInInitialList`: the object was there before the handler was. */
  added?(object: Stored<DeepReadonly<T>>, isInInitialList: boolean): void | Promise<void>;
  /** Also called for objects that did not change, where a resync is due. */
  updated?(old: Stored<DeepReadonly<T>>, object: Stored<DeepReadonly<T>>): void | Promise<void>;
  /** `isFinalStateUnknown`: the deletion itself was missed, and `object` is what was last seen. */
  deleted?(object: Stored<DeepReadonly<T>>, isFinalStateUnknown: boolean): void | Promise<void>;
}

/** A name for a handler, for logs. Never throws. */
export function nameOfHandler(handler: unknown): string {
  if (typeof handler !== "object" || handler === null) return String(handler);
  const name = handler.constructor?.name;
  if (name && name !== "Object") return name;
  const members = ["added", "updated", "deleted"].filter((member) => member in handler);
  return `{ ${members.join(", ")} }`;
}
