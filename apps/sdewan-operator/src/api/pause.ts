import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { pausedAnnotation } from "./group.ts";

/**
 * Reports whether the operator must leave a resource unchanged, on its CNF and in the cluster, even while the resource is being deleted.
 */
export const isPaused = ({ metadata }: DeepReadonly<KubeObject>): boolean =>
  metadata.annotations?.[pausedAnnotation] === "true";

export const pausedMessage: string = `Paused by the annotation ${pausedAnnotation}`;
