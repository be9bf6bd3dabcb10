import { type DeepReadonly, hasFinalizer, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { appliedPurposeAnnotation, purposeLabel } from "../api/group.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

type Patched = Pick<CnfKind, "kind" | "finalizer">;

/**
 * Records in an object's metadata that a CNF may have the object: sets the kind's finalizer and the CNF's purpose. Must
 * be called before the object is sent to the CNF. Does nothing if both are already set. Fails with a conflict if the
 * object has changed in the meantime.
 *
 * @returns true if it was written
 */
export async function patchFinalizerIn(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
  purpose: string,
): Promise<boolean> {
  const { finalizers = [], annotations } = object.metadata;
  const isHeld = hasFinalizer(object, kind.finalizer);
  if (isHeld && annotations?.[appliedPurposeAnnotation] === purpose) return false;
  await patchFinalizers(writer, kind, object, isHeld ? finalizers : [...finalizers, kind.finalizer], purpose);
  return true;
}

/**
 * Returns the purpose of a CNF that may still have the object although the object's label has changed. Do not treat the
 * annotation as permission to delete the object on that CNF, because anyone who is allowed to write the object can set
 * this annotation.
 */
export function formerPurposeOf(kind: Patched, { metadata }: DeepReadonly<RuleObject>): string | undefined {
  const applied = metadata.annotations?.[appliedPurposeAnnotation];
  const isHeld = hasFinalizer({ metadata }, kind.finalizer);
  return isHeld && applied !== metadata.labels?.[purposeLabel] ? applied : undefined;
}

/** Removes the finalizer and annotations set by {@link patchFinalizerIn}. Does nothing if the object was deleted. */
export async function patchFinalizerOut(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
): Promise<void> {
  const others = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== kind.finalizer);
  await patchFinalizers(writer, kind, object, others, null).catch(ignoreNotFound);
}

/** Patches the finalizers of an object. A merge patch replaces the whole list, so it must fail if the list has changed. */
function patchFinalizers(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
  finalizers: readonly string[],
  purpose: string | null,
) {
  const metadata = { finalizers, annotations: { [appliedPurposeAnnotation]: purpose } };
  return writer.patch(kind.kind, object, { metadata }, { optimisticLock: true });
}

/** Sets or removes an annotation. */
export function patchAnnotation(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
  name: string,
  value: string | undefined,
) {
  return writer.patch(kind.kind, keyOf(object), { metadata: { annotations: { [name]: value ?? null } } });
}
