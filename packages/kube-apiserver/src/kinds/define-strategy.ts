import type { KubeObject } from "@kubewright/apimachinery";
import type { KindStrategy } from "@kubewright/apiserver/registry";

/** Converts a strategy for one object type to the registry's form, which accepts objects of any type. */
export function defineStrategy<T extends KubeObject>(strategy: KindStrategy<T>): KindStrategy {
  return strategy as KindStrategy;
}
