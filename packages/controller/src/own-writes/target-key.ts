import { joinKey, type KeyLike, type ObjectKey } from "@kubewright/apimachinery";
import type { Target } from "@kubewright/client";

/** Returns the key of a call's target. */
export function keyOfTarget(target: Target): ObjectKey {
  if (typeof target !== "string" && "metadata" in target)
    return joinKey(target.metadata.namespace, target.metadata.name);
  return keyFrom(target);
}

export const keyFrom = (key: KeyLike): ObjectKey => (typeof key === "string" ? key : joinKey(key.namespace, key.name));
