import type { Metrics } from "@kubewright/manager";
import type { CnfRecord } from "./cnf-records.ts";
import type { ObjectGroup } from "./object-states.ts";

export interface CnfMetricsSource {
  /** Returns the records of the existing CNF pods. */
  readonly records: () => readonly CnfRecord[];
  readonly groups: () => readonly ObjectGroup[];
  /** Returns the tunnels requested by resources for a pod's CNF. */
  readonly tunnelsOf: (namespace: string, purpose: string) => Pick<ObjectGroup, "tunnels" | "started">;
}

const cnf = ["namespace", "pod", "purpose"] as const;

/** Adds the CNF metrics. Series are computed at each scrape, so the series of deleted pods disappear. */
export function cnfMetrics(metrics: Metrics, { records, groups, tunnelsOf }: CnfMetricsSource): void {
  const gauge = (name: string, help: string, numberIn: (record: CnfRecord) => number | undefined): void => {
    metrics.gauge({
      name: `sdewan_cnf_${name}`,
      help,
      labelNames: cnf,
      collect: (of) => {
        for (const record of records()) {
          const value = numberIn(record);
          if (value !== undefined) of(record.namespace, record.pod, record.purpose).set(value);
        }
      },
    });
  };
  const counter = (name: string, help: string, numberIn: (record: CnfRecord) => number): void => {
    metrics.counter({
      name: `sdewan_cnf_${name}`,
      help,
      labelNames: cnf,
      collect: (of) => {
        for (const record of records()) of(record.namespace, record.pod, record.purpose).inc(numberIn(record));
      },
    });
  };
  const counters = <K extends string>(
    name: string,
    help: string,
    label: string,
    numbersIn: (record: CnfRecord) => ReadonlyMap<K, number>,
  ): void => {
    metrics.counter({
      name: `sdewan_cnf_${name}`,
      help,
      labelNames: [...cnf, label],
      collect: (of) => {
        for (const record of records())
          for (const [key, value] of numbersIn(record))
            of(record.namespace, record.pod, record.purpose, key).inc(value);
      },
    });
  };
  gauge("reachable", "1 if the CNF responded to the last request, 0 if not", ({ isReachable }) =>
    isReachable === undefined ? undefined : Number(isReachable),
  );
  gauge("latency_seconds", "Duration of the last read from the CNF, in seconds", (each) => each.latencySeconds);
  gauge(
    "tunnels_configured",
    "IPsec connections requested by resources",
    ({ namespace, purpose }) => tunnelsOf(namespace, purpose).tunnels,
  );
  gauge(
    "tunnels_expected",
    "Requested IPsec connections that must always be up (mode start)",
    ({ namespace, purpose }) => tunnelsOf(namespace, purpose).started,
  );
  gauge("tunnels_up", "IPsec tunnels that are up, according to the CNF", (each) => each.tunnelsUp);
  counter("requests_total", "Requests to the CNF", (each) => each.requests);
  counter(
    "request_seconds_total",
    "Total duration of requests to which the CNF responded, in seconds",
    (each) => each.requestSeconds,
  );
  counter("restarts_total", "Observed restarts of the CNF's containers", (each) => each.restarts);
  counter("drift_total", "Objects that were missing or changed on the CNF", (each) => each.drift);
  counters(
    "errors_total",
    "Requests that failed: network, auth (401, 403), refused (4xx), failed (5xx)",
    "reason",
    (each) => each.errors,
  );
  counters(
    "service_restarts_total",
    "Restarts and reloads of the CNF's services",
    "service",
    (each) => each.serviceRestarts,
  );
  metrics.gauge({
    name: "sdewan_objects",
    help: "Resources by kind, CNF and state; resources without a CNF have no namespace and no purpose",
    labelNames: ["kind", "namespace", "purpose", "state"],
    collect: (of) => {
      for (const { kind, namespace, purpose, state, count } of groups()) of(kind, namespace, purpose, state).set(count);
    },
  });
}
