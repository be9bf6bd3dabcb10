/** Handling of changes by others on a CNF: revert them, or only report them. */
export const driftPolicies = ["repair", "report"] as const;
export type DriftPolicy = (typeof driftPolicies)[number];

/** Counters for objects that others changed on a CNF, by the operator's action. */
export interface DriftMetrics {
  found(kind: string, policy: DriftPolicy): void;
}

export const noDriftMetrics: DriftMetrics = { found: () => {} };
