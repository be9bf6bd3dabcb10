import type { DeletedFinalStateUnknown } from "@kubewright/apimachinery";

/**
 * What a {@link Reflector} keeps up to date. Every method finishes its change before it returns, and may throw: the reflector
 * then logs the object and goes on.
 *
 * @see client-go tools/cache ReflectorStore
 */
export interface ReflectorStore<O> {
  add(object: O): void;
  update(object: O): void;
  delete(object: O | DeletedFinalStateUnknown<O>): void;
  /**
   * These are all objects there are, as of `resourceVersion`.
   *
   * @param isNewHistory the server went back in time: an object may be another although its version is the same
   */
  replace(objects: readonly O[], resourceVersion: string, isNewHistory?: boolean): void;
  /** Tell of everything once more. */
  resync?(): void;
  /** The state is unchanged up to this version. */
  bookmark?(resourceVersion: string): void;
}
