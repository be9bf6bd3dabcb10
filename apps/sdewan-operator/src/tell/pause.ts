import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { pausedAnnotation } from "../api/group.ts";

/** Whether a resource is to be left as it is, on its CNF and here, its deletion included. */
export const isPaused = ({ metadata }: DeepReadonly<KubeObject>): boolean =>
  metadata.annotations?.[pausedAnnotation] === "true";

export const pausedMessage: string = `Paused by its annotation ${pausedAnnotation}`;
