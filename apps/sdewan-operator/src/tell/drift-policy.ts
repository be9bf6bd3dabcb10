/** Handling of changes by others on a CNF: revert them, or only report them. */
export const driftPolicies = ["repair", "report"] as const;
export type DriftPolicy = (typeof driftPolicies)[number];

/** Counts objects that were changed on their CNF, by the action taken. */
export interface DriftMetrics {
  found(kind: string, policy: DriftPolicy): void;
}

export const noDriftMetrics: DriftMetrics = { found: () => {} };
