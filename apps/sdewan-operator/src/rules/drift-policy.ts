/** Policies for changes that others make to a CNF: revert them, or only report them. */
export const driftPolicies = ["repair", "report"] as const;
export type DriftPolicy = (typeof driftPolicies)[number];

/** Counters for objects that others changed on a CNF, one counter for each action of the operator. */
export interface DriftMetrics {
  found(kind: string, policy: DriftPolicy): void;
}

export const noDriftMetrics: DriftMetrics = { found: () => {} };
