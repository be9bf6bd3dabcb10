import { type DeepReadonly, isNotFound, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import type { CnfKind, RuleObject } from "../kinds/cnf-kind.ts";

type Patched = Pick<CnfKind, "kind" | "finalizer">;

/** Adds the kind's finalizer and nothing else; a conflict if somebody changed the object meanwhile. */
export function patchFinalizerIn(writer: Writer, kind: Patched, object: DeepReadonly<RuleObject>) {
  return patchFinalizers(writer, kind, object, [...(object.metadata.finalizers ?? []), kind.finalizer]);
}

/** Removes the kind's finalizer and nothing else; an object that is gone by now is as wanted. */
export async function patchFinalizerOut(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
): Promise<void> {
  const others = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== kind.finalizer);
  try {
    await patchFinalizers(writer, kind, object, others);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A merge patch replaces the whole list, so it must not meet another one than it was made for. */
function patchFinalizers(writer: Writer, kind: Patched, object: DeepReadonly<RuleObject>, finalizers: string[]) {
  return writer.patch(kind.kind, object, { metadata: { finalizers } }, { optimisticLock: true });
}

/** Sets one annotation, or removes it. */
export function patchAnnotation(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
  name: string,
  value: string | undefined,
) {
  return writer.patch(kind.kind, keyOf(object), { metadata: { annotations: { [name]: value ?? null } } });
}
