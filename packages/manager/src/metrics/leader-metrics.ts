import type { ElectorMetrics } from "@kubewright/leader-election";
import { Counter, Gauge, type Registry } from "prom-client";

/** @see component-base metrics/prometheus/clientgo/leaderelection */
export function leaderMetrics(registry: Registry): ElectorMetrics {
  const common = { labelNames: ["name"] as const, registers: [registry] };
  const status = new Gauge({
    name: "leader_election_master_status",
    help: "1 if this process leads, 0 if it stands by",
    ...common,
  });
  const slowPath = new Counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the lock first",
    ...common,
  });
  return {
    leading: (name, leads) => status.labels(name).set(leads ? 1 : 0),
    slowPath: (name) => slowPath.labels(name).inc(),
  };
}
