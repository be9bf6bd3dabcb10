import type { Metrics } from "@kubewright/manager";
import type { CnfRecord } from "./cnf-ledger.ts";
import type { ObjectGroup } from "./object-states.ts";

export interface CnfMetricsSource {
  /** Of the CNF pods there are. */
  readonly records: () => readonly CnfRecord[];
  readonly groups: () => readonly ObjectGroup[];
  /** What tunnels are asked for of the CNF that a pod is of. */
  readonly tunnelsOf: (namespace: string, purpose: string) => Pick<ObjectGroup, "tunnels" | "started">;
}

const cnf = ["namespace", "pod", "purpose"] as const;

/** The series of what is known of CNFs. They are made anew with each question, so those of pods that went are gone. */
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
  gauge("reachable", "1 if the CNF answered the last request, 0 if not", ({ isReachable }) =>
    isReachable === undefined ? undefined : Number(isReachable),
  );
  gauge("latency_seconds", "How long the CNF took for its last answer to a question", (each) => each.latencySeconds);
  gauge(
    "tunnels_configured",
    "IPsec connections that resources ask for",
    ({ namespace, purpose }) => tunnelsOf(namespace, purpose).tunnels,
  );
  gauge(
    "tunnels_expected",
    "Of these, the ones that are to stand at any time (mode start)",
    ({ namespace, purpose }) => tunnelsOf(namespace, purpose).started,
  );
  gauge("tunnels_up", "IPsec tunnels that stand, as the CNF says", (each) => each.tunnelsUp);
  counter("requests_total", "Requests to the CNF", (each) => each.requests);
  counter("request_seconds_total", "Time that answered requests to the CNF took", (each) => each.requestSeconds);
  counter("restarts_total", "New lives of the CNF's containers that were seen", (each) => each.restarts);
  counter("drift_total", "Objects that the CNF was found without, or with other values", (each) => each.drift);
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
    help: "Resources by kind, CNF and state; those that are for no CNF have no namespace and no purpose",
    labelNames: ["kind", "namespace", "purpose", "state"],
    collect: (of) => {
      for (const { kind, namespace, purpose, state, count } of groups()) of(kind, namespace, purpose, state).set(count);
    },
  });
}
