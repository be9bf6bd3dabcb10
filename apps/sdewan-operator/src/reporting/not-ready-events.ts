import type { Condition, DeepReadonly } from "@kubewright/apimachinery";
import type { Referable } from "@kubewright/recorder";
import type { ConditionStatus } from "../api/conditions.ts";
import { type ConditionValue, type Health, isUnreachable, Reason, readyReason } from "./conditions.ts";
import type { EventReason, EventReporter } from "./event-reporter.ts";

/** Event types by the reason why an object is not ready. Other reasons appear only in the conditions. */
const eventReasons: Partial<Record<string, EventReason>> = {
  [Reason.refused]: "Refused",
  [Reason.invalid]: "Refused",
  [Reason.nameTaken]: "NameTaken",
  [Reason.drifted]: "Drifted",
  [Reason.rolledBack]: "RolledBack",
};

/**
 * Creates Events about an object that is not ready. A new Event is created if the reason or the object has changed, but
 * not if only the message has.
 *
 * @param before the previous status
 */
export function reportNotReady(
  reporter: EventReporter,
  object: Referable & { readonly metadata: { readonly generation?: number | undefined } },
  before: DeepReadonly<ConditionStatus> | undefined,
  { ready, reachable }: Health,
): void {
  const isKnown = before?.observedGeneration === object.metadata.generation && readyReason(before) === ready.reason;
  const eventReason = ready.status === "True" ? undefined : eventReasons[ready.reason];
  if (eventReason && !isKnown) reporter.report(object, eventReason, ready.message);
  if (reachable?.status === "False" && !isUnreachable(before))
    reporter.report(object, "CnfUnreachable", reachable.message);
}

/**
 * Creates an Event if an object has become shadowed or is no longer shadowed.
 *
 * @param before the object's previous effect
 */
export function reportShadows(
  reporter: EventReporter,
  object: Referable,
  before: Pick<Condition, "reason"> | undefined,
  now: ConditionValue,
): void {
  const [was, is] = [before, now].map((condition) => condition?.reason === Reason.shadowed);
  if (is && !was) reporter.report(object, "Shadowed", now.message);
  if (was && !is) reporter.report(object, "NotShadowed", "Earlier rules no longer match all of its packets");
}
