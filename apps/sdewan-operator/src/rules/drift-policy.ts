/** Policies for changes made to a CNF by others: revert them, or only report them. */
export const driftPolicies = ["repair", "report"] as const;
export type DriftPolicy = (typeof driftPolicies)[number];

/** Counters for objects on CNFs that were changed by others, one for each action that the operator takes. */
export interface DriftMetrics {
  found(kind: string, policy: DriftPolicy): void;
}

export const noDriftMetrics: DriftMetrics = { found: () => {} };
