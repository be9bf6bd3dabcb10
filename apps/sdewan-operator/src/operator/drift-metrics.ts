import type { Manager } from "@kubewright/manager";
import type { DriftMetrics } from "../tell/drift-policy.ts";

/** Counts in a manager's metrics what was found otherwise than it was left on a CNF. */
export function driftMetrics(metrics: Manager["metrics"]): DriftMetrics {
  const found = metrics.counter({
    name: "sdewan_drift_total",
    help: "Objects found otherwise than they were left on their CNF, by kind and by what became of it",
    labelNames: ["kind", "action"],
  });
  return { found: (kind, policy) => found(kind, policy === "repair" ? "repaired" : "reported").inc() };
}
