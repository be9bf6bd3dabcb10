import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { deepFreeze } from "./freeze.ts";
import { stripManagedFields } from "./managed-fields.ts";
import { notedKeyOf } from "./object-notes.ts";

/** Options for processing objects before they enter the cache. */
export interface IncomingOptions<T extends KubeObject> {
  /**
   * Applied once to each object. It must keep `name` and `namespace`, which identify objects, and must not change `uid` and
   * `creationTimestamp`. Default: none.
   */
  readonly transform?: Transform<T> | undefined;
  /** True to freeze objects, so that no reader can modify an object that others read. Default true. */
  readonly freeze?: boolean | undefined;
  /** Entries of `metadata.managedFields` to retain: `"all"`, or one manager's entries. Default: none. */
  readonly managedFields?: "all" | { readonly of: string } | undefined;
  /**
   * True to parse an object's members only when they are first read, if the source supports it. This saves time and memory and has no
   * visible effect. With a transform, everything is parsed immediately. Default true.
   */
  readonly deferBodies?: boolean | undefined;
}

/**
 * Changes an object before it enters the cache, in place or by returning another object.
 *
 * @see client-go tools/cache TransformFunc
 */
export type Transform<T extends KubeObject> = (object: T) => T;

/**
 * Returns a function that prepares an incoming object for the store: it removes `managedFields`, applies the transform and freezes the
 * result.
 */
export function incomingTransform<T extends KubeObject>(
  options: IncomingOptions<T>,
): (object: Stored<DeepReadonly<T>>) => Stored<DeepReadonly<T>> {
  const { managedFields, transform, freeze = true } = options;
  const strip = managedFields === "all" ? undefined : stripManagedFields<T>(managedFields?.of);
  return (incoming) => {
    let object = incoming as T; // not shared with other code at this point
    if (strip) object = strip(object);
    if (transform) object = transform(object);
    const isFrozen = !transform && Object.isFrozen(object) && notedKeyOf(object) !== undefined; // recursively, by its decoder
    return (freeze && !isFrozen ? deepFreeze(object) : object) as Stored<DeepReadonly<T>>;
  };
}
