import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Referable } from "@kubewright/recorder";
import type { ConditionStatus } from "../api/conditions.ts";
import type { Happening, Herald } from "./herald.ts";
import { isUnreachable, Reason, readyReason, type Standing } from "./standing.ts";

/** Event types by the reason why an object is not ready. Other reasons appear only in the conditions. */
const happenings: Partial<Record<string, Happening>> = {
  [Reason.refused]: "Refused",
  [Reason.invalid]: "Refused",
  [Reason.nameTaken]: "NameTaken",
  [Reason.drifted]: "Drifted",
};

/**
 * Creates Events about an object that is not ready. Reports a reason only once until the reason or the object changes, even if the
 * message changes.
 *
 * @param before the previous status
 */
export function tellSetback(
  herald: Herald,
  object: Referable & { readonly metadata: { readonly generation?: number | undefined } },
  before: DeepReadonly<ConditionStatus> | undefined,
  { ready, reachable }: Standing,
): void {
  const isKnown = before?.observedGeneration === object.metadata.generation && readyReason(before) === ready.reason;
  const happening = ready.status === "True" ? undefined : happenings[ready.reason];
  if (happening && !isKnown) herald.tell(object, happening, ready.message);
  if (reachable?.status === "False" && !isUnreachable(before)) herald.tell(object, "CnfUnreachable", reachable.message);
}
