import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { appliedPurposeAnnotation, appliedSecretsAnnotation, sentHashAnnotation } from "../api/group.ts";

const notes = [appliedPurposeAnnotation, sentHashAnnotation, appliedSecretsAnnotation];

/** Returns the operator's own annotation that a request would set, change or remove, if any. */
export function touchedNote(
  object: DeepReadonly<KubeObject>,
  before: DeepReadonly<KubeObject> | undefined,
): string | undefined {
  return notes.find((note) => object.metadata.annotations?.[note] !== before?.metadata.annotations?.[note]);
}
