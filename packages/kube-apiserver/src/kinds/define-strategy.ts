import type { KubeObject } from "@kubewright/apimachinery";
import type { KindStrategy } from "@kubewright/apiserver/registry";

/** A strategy written for one type of object, as the registry keeps it: for objects of any type. */
export function defineStrategy<T extends KubeObject>(strategy: KindStrategy<T>): KindStrategy {
  return strategy as KindStrategy;
}
