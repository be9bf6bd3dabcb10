import type { DeletedFinalStateUnknown } from "@kubewright/apimachinery";

/**
 * A store that a `Reflector` keeps up to date. Each method completes its change before it returns. It may throw: the reflector then logs
 * the object and continues.
 *
 * @see client-go tools/cache ReflectorStore
 */
export interface ReflectorStore<O> {
  add(object: O): void;
  update(object: O): void;
  delete(object: O | DeletedFinalStateUnknown<O>): void;
  /**
   * Makes these objects the whole content, as of `resourceVersion`.
   *
   * @param isNewHistory true if the server went back in time, so that an object may have changed although its version is the same
   */
  replace(objects: readonly O[], resourceVersion: string, isNewHistory?: boolean): void;
  /** Reports every stored object once more. */
  resync?(): void;
  /** Records that nothing has changed up to this version. */
  bookmark?(resourceVersion: string): void;
}
