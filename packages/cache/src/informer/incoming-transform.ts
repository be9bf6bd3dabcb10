import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { deepFreeze } from "../body/freeze.ts";
import type { KeptManagedFields } from "../body/managed-fields.ts";
import { notedKeyOf } from "../body/object-notes.ts";
import { stripManagedFields } from "../body/strip-managed-fields.ts";

/**
 * Changes an object before it enters the cache, in place or by returning another object.
 *
 * @see client-go tools/cache TransformFunc
 */
export type Transform<T extends KubeObject> = (object: T) => T;

export interface IncomingOptions<T extends KubeObject> {
  /**
   * Applied once to each object. It must keep `name` and `namespace`, which identify objects, and must not change `uid` and
   * `creationTimestamp`. Default: none.
   */
  readonly transform?: Transform<T> | undefined;
  /** Freezes objects, so that no reader can change what all others read. Default true. */
  readonly freeze?: boolean | undefined;
  /** Entries of `metadata.managedFields` to keep: `"all"`, or those of one manager. Default: none. */
  readonly managedFields?: KeptManagedFields;
  /**
   * Parses the members of an object when they are first read, if the source supports it. This saves time and memory and has no visible
   * effect. With a transform, everything is parsed at once. Default true.
   */
  readonly deferBodies?: boolean | undefined;
}

/** Returns the steps applied to each incoming object: `managedFields` are removed, the transform is applied, the result is frozen. */
export function incomingTransform<T extends KubeObject>(
  options: IncomingOptions<T>,
): (object: Stored<DeepReadonly<T>>) => Stored<DeepReadonly<T>> {
  const { managedFields, transform, freeze = true } = options;
  const strip = managedFields === "all" ? undefined : stripManagedFields<T>(managedFields?.of);
  return (incoming) => {
    let object = incoming as T; // not shared with other code at this point
    if (strip) object = strip(object);
    if (transform) object = transform(object);
    const isFrozen = !transform && Object.isFrozen(object) && notedKeyOf(object) !== undefined; // in depth, by its decoder
    return (freeze && !isFrozen ? deepFreeze(object) : object) as Stored<DeepReadonly<T>>;
  };
}
