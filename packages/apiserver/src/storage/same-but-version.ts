import { jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import type { StoredObject } from "./storage.ts";

/** Whether a write would change nothing. */
export function sameButVersion(current: StoredObject, next: Unstructured): boolean {
  const { resourceVersion: _ours, ...before } = current.metadata;
  const { resourceVersion: _theirs, ...after } = next.metadata;
  return jsonEqual(before, after) && jsonEqual({ ...current, metadata: null }, { ...next, metadata: null });
}
