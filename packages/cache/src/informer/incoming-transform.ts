import type { DeepReadonly, KubeObject, Stored } from "@kubewright/apimachinery";
import { deepFreeze, freezesByDefault } from "../body/freeze.ts";
import type { KeptManagedFields } from "../body/managed-fields.ts";
import { stripManagedFields } from "../body/strip-managed-fields.ts";

/** Changes an object on its way into the cache, or makes another of it. What comes in may be changed in place. */
export type Transform<T extends KubeObject> = (object: T) => T;

export interface IncomingOptions<T extends KubeObject> {
  /** Applied once to each object; it is to leave `uid` and `creationTimestamp`, which readers count on. Default: none. */
  readonly transform?: Transform<T> | undefined;
  /** Freeze what is handed out. Default: unless NODE_ENV is `production`. */
  readonly freeze?: boolean | undefined;
  /** `metadata.managedFields` entries that stay: `"all"`, or those of one manager. Default: none. */
  readonly managedFields?: KeptManagedFields;
  /**
   * Parse what follows an object's metadata when somebody reads it, where the source can: nobody notices, but time and memory are
   * saved. With a transform everything is parsed at once. Default true.
   */
  readonly deferBodies?: boolean | undefined;
}

/** What happens to every object on its way in: others' managed fields go, the transform is applied, the result is frozen. */
export function incomingTransform<T extends KubeObject>(
  options: IncomingOptions<T>,
): (object: Stored<DeepReadonly<T>>) => Stored<DeepReadonly<T>> {
  const { managedFields, transform, freeze = freezesByDefault() } = options;
  const strip = managedFields === "all" ? undefined : stripManagedFields<T>(managedFields?.of);
  return (incoming) => {
    let object = incoming as T; // nobody else has it yet
    if (strip) object = strip(object);
    if (transform) object = transform(object);
    return (freeze ? deepFreeze(object) : object) as Stored<DeepReadonly<T>>;
  };
}
