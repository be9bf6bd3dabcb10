import type { Manager } from "@kubewright/manager";
import type { DriftMetrics } from "../reporting/drift-policy.ts";

/** Counts objects that were changed on a CNF in the metrics of a manager. */
export function driftMetrics(metrics: Manager["metrics"]): DriftMetrics {
  const found = metrics.counter({
    name: "sdewan_drift_total",
    help: "Objects that others changed on a CNF, by kind and by action of the operator",
    labelNames: ["kind", "action"],
  });
  return { found: (kind, policy) => found(kind, policy === "repair" ? "repaired" : "reported").inc() };
}
