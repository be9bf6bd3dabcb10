/** What becomes of what somebody else changed on a CNF: it is put right, or only told of. */
export const driftPolicies = ["repair", "report"] as const;
export type DriftPolicy = (typeof driftPolicies)[number];

/** Counts objects that were found otherwise than they were left on their CNF, by what became of it. */
export interface DriftMetrics {
  found(kind: string, policy: DriftPolicy): void;
}

export const noDriftMetrics: DriftMetrics = { found: () => {} };
