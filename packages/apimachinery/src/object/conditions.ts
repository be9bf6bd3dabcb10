/** One observed aspect of an object, as `status.conditions` holds it. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  observedGeneration?: number;
  /** RFC 3339; when `status` last changed. */
  lastTransitionTime: string;
  /** One CamelCase word. */
  reason: string;
  message: string;
}

/** A condition to set; the time is `now` unless given. */
export type NewCondition = Omit<Condition, "lastTransitionTime"> & { lastTransitionTime?: string };

/**
 * Sets a condition in the list (which is changed): its time moves only when its `status` does.
 *
 * @param now RFC 3339 time for a changed or new condition that brings none
 * @returns whether anything changed
 * @see apimachinery api/meta SetStatusCondition
 */
export function setCondition(conditions: Condition[], next: NewCondition, now: string): boolean {
  const existing = conditions.find((condition) => condition.type === next.type);
  if (!existing) {
    conditions.push({ ...next, lastTransitionTime: next.lastTransitionTime ?? now });
    return true;
  }
  let changed = false;
  if (existing.status !== next.status) {
    existing.status = next.status;
    existing.lastTransitionTime = next.lastTransitionTime ?? now;
    changed = true;
  }
  if (existing.reason !== next.reason || existing.message !== next.message) {
    existing.reason = next.reason;
    existing.message = next.message;
    changed = true;
  }
  if (existing.observedGeneration !== next.observedGeneration) {
    if (next.observedGeneration === undefined) delete existing.observedGeneration;
    else existing.observedGeneration = next.observedGeneration;
    changed = true;
  }
  return changed;
}

/** Takes a condition out of the list (which is changed); returns whether it was there. */
export function removeCondition(conditions: Condition[], type: string): boolean {
  const position = conditions.findIndex((condition) => condition.type === type);
  if (position < 0) return false;
  conditions.splice(position, 1);
  return true;
}

/** The condition of a type, or `undefined`; no list is an empty one. @see apimachinery api/meta FindStatusCondition */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether there is a condition of this type and its status is `"True"`. @see apimachinery api/meta IsStatusConditionTrue */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}
