import type { ElectorMetrics } from "@kubewright/leader-election";
import type { Metrics } from "./metrics.ts";

/** Makes the metrics of leader election. @see component-base metrics/prometheus/clientgo/leaderelection */
export function leaderMetrics(metrics: Metrics): ElectorMetrics {
  const common = { labelNames: ["name"] } as const;
  const status = metrics.gauge({
    name: "leader_election_master_status",
    help: "1 if this process is the leader, otherwise 0",
    ...common,
  });
  const slowPath = metrics.counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the lock first",
    ...common,
  });
  return {
    leading: (name, leads) => status(name).set(leads ? 1 : 0),
    slowPath: (name) => slowPath(name).inc(),
  };
}
