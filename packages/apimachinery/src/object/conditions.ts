/** One observed aspect of an object: an item in `status.conditions`. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  observedGeneration?: number;
  /** Time at which `status` last changed, in RFC 3339. */
  lastTransitionTime: string;
  /** Reason for the current status, in CamelCase. */
  reason: string;
  message: string;
}

/** A condition to set. If it has no `lastTransitionTime`, {@link setCondition} uses `now`. */
export type NewCondition = Omit<Condition, "lastTransitionTime"> & { lastTransitionTime?: string };

/**
 * Sets a condition in a list. The list is modified, but its items are replaced, not modified, so you can pass a shallow
 * copy: `[...(object.status?.conditions ?? [])]`. `lastTransitionTime` changes only if `status` changes.
 *
 * @param now RFC 3339 time for a new or changed condition without `lastTransitionTime`
 * @returns true if anything changed
 * @see apimachinery api/meta SetStatusCondition
 */
export function setCondition(conditions: Condition[], next: NewCondition, now: string): boolean {
  const index = conditions.findIndex((condition) => condition.type === next.type);
  const existing = conditions[index];
  const time = next.lastTransitionTime ?? now;
  if (!existing) {
    conditions.push({ ...next, lastTransitionTime: time });
    return true;
  }
  const { status, reason, message, observedGeneration } = next;
  const hasNewStatus = existing.status !== status;
  const isSame =
    !hasNewStatus &&
    existing.reason === reason &&
    existing.message === message &&
    existing.observedGeneration === observedGeneration;
  if (isSame) return false;
  const { observedGeneration: _, ...rest } = existing;
  conditions[index] = {
    ...rest,
    status,
    lastTransitionTime: hasNewStatus ? time : existing.lastTransitionTime,
    reason,
    message,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  return true;
}

/** Removes a condition from a list in place. Returns true if the list contained the condition. */
export function removeCondition(conditions: Condition[], type: string): boolean {
  const position = conditions.findIndex((condition) => condition.type === type);
  if (position < 0) return false;
  conditions.splice(position, 1);
  return true;
}

/**
 * Returns the condition with the given type, or `undefined` if the condition or the list does not exist.
 *
 * @see apimachinery api/meta FindStatusCondition
 */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Reports whether a condition with the given type exists and its status is `"True"`. @see apimachinery api/meta IsStatusConditionTrue */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}
