import { type DeepReadonly, hasFinalizer, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { appliedPurposeAnnotation, purposeLabel } from "../api/group.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

type Patched = Pick<CnfKind, "kind" | "finalizer">;

/**
 * Notes on an object, before anything is written to a CNF for it, that it is there: by the kind's finalizer, and the purpose of
 * that CNF. Does nothing where that is noted already; a conflict if somebody changed the object meanwhile.
 */
export async function patchFinalizerIn(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
  purpose: string,
): Promise<void> {
  const { finalizers = [], annotations } = object.metadata;
  const isHeld = hasFinalizer(object, kind.finalizer);
  if (isHeld && annotations?.[appliedPurposeAnnotation] === purpose) return;
  await patchFinalizers(writer, kind, object, isHeld ? finalizers : [...finalizers, kind.finalizer], purpose);
}

/**
 * The purpose of a CNF that may hold the object although it is not for it any more, since its label changed. Whoever may write
 * the object can write this too: it says where to look, not what may be deleted there.
 */
export function formerPurposeOf(kind: Patched, { metadata }: DeepReadonly<RuleObject>): string | undefined {
  const applied = metadata.annotations?.[appliedPurposeAnnotation];
  const isHeld = hasFinalizer({ metadata }, kind.finalizer);
  return isHeld && applied !== metadata.labels?.[purposeLabel] ? applied : undefined;
}

/** Takes back what {@link patchFinalizerIn} noted; an object that is gone by now is as wanted. */
export async function patchFinalizerOut(
  writer: Writer,
  kind: Patched,
  object: DeepReadonly<RuleObject>,
): Promise<void> {
  const others = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== kind.finalizer);
  await patchFinalizers(writer, kind, object, others, null).catch(ignoreNotFound);
}

/** A merge patch replaces the whole list, so it must not meet another one than it was made for. */
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
