import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { deepFreeze } from "../body/freeze.ts";
import type { KeptManagedFields } from "../body/managed-fields.ts";
import { notedKeyOf } from "../body/object-notes.ts";
import { stripManagedFields } from "../body/strip-managed-fields.ts";

/**
 * Changes an object on its way into the cache, in place or by returning another one.
 *
 * @see client-go tools/cache TransformFunc
 */
export type Transform<T extends KubeObject> = (object: T) => T;

export interface IncomingOptions<T extends KubeObject> {
  /**
   * Applied once to each object. It must keep `name` and `namespace`, by which objects are told apart, and leave `uid` and
   * `creationTimestamp` alone. Default: none.
   */
  readonly transform?: Transform<T> | undefined;
  /** Whether to freeze objects, so that no reader can change what all others read. Default true. */
  readonly freeze?: boolean | undefined;
  /** Which `metadata.managedFields` to keep: `"all"`, or the entries of one manager. Default: none. */
  readonly managedFields?: KeptManagedFields;
  /**
   * Parse the members of an object when they are first read, where the source can: it saves time and memory, and cannot be noticed.
   * With a transform everything is parsed at once. Default true.
   */
  readonly deferBodies?: boolean | undefined;
}

/** What happens to each object on its way in: `managedFields` are removed, the transform is applied, the result is frozen. */
export function incomingTransform<T extends KubeObject>(
  options: IncomingOptions<T>,
): (object: Stored<DeepReadonly<T>>) => Stored<DeepReadonly<T>> {
  const { managedFields, transform, freeze = true } = options;
  const strip = managedFields === "all" ? undefined : stripManagedFields<T>(managedFields?.of);
  return (incoming) => {
    let object = incoming as T; // it is shared with nobody yet
    if (strip) object = strip(object);
    if (transform) object = transform(object);
    const isFrozen = !transform && Object.isFrozen(object) && notedKeyOf(object) !== undefined; // in depth, by its decoder
    return (freeze && !isFrozen ? deepFreeze(object) : object) as Stored<DeepReadonly<T>>;
  };
}
