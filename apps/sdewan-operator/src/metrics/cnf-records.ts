import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { lifeOf } from "../cnf/pod-state.ts";
import type { ServiceName } from "../uci/cnf-kind.ts";

/**
 * The reason why a request failed: no response, wrong credentials, rejected content (4xx), or a failure inside the CNF
 * (5xx).
 */
export type ErrorReason = "network" | "auth" | "refused" | "failed";

/** An object on a CNF, identified by its collection's path and its name. */
export interface CnfObject {
  readonly path: string;
  readonly name: string;
}

/** Measurements for one CNF pod. */
export class CnfRecord {
  readonly namespace: string;
  readonly pod: string;
  readonly purpose: string;
  life: string;
  /** True if the CNF responded to the last request. Undefined before the first. */
  isReachable: boolean | undefined;
  /** Time of the last change of `isReachable`, in milliseconds since 1970. */
  reachableSinceMs: number | undefined;
  lastResponseMs: number | undefined;
  /** The last failed request, without secrets from its body. */
  lastError: { readonly atMs: number; readonly message: string; readonly object?: CnfObject } | undefined;
  /** Latency of the last read. */
  latencySeconds: number | undefined;
  requests = 0;
  requestSeconds = 0;
  readonly errors = new Map<ErrorReason, number>();
  readonly serviceRestarts = new Map<ServiceName, number>();
  restarts = 0;
  drift = 0;
  /** Number of tunnels that are up; undefined until the CNF has reported it. */
  tunnelsUp: number | undefined;

  constructor(pod: DeepReadonly<Pod>) {
    const { name, namespace = "", labels } = pod.metadata;
    this.namespace = namespace;
    this.pod = name;
    this.purpose = labels?.[purposeLabel] ?? "";
    this.life = lifeOf(pod);
  }

  /** Records whether the CNF responded, regardless of the result. */
  responded(hasResponded: boolean, nowMs: number): void {
    if (this.isReachable !== hasResponded) this.reachableSinceMs = nowMs;
    this.isReachable = hasResponded;
    if (hasResponded) this.lastResponseMs = nowMs;
  }

  failed(reason: ErrorReason): void {
    this.errors.set(reason, (this.errors.get(reason) ?? 0) + 1);
  }

  serviceRestarted(service: ServiceName): void {
    this.serviceRestarts.set(service, (this.serviceRestarts.get(service) ?? 0) + 1);
  }
}

/** Measurements for all existing CNF pods. Those for deleted pods are dropped, to limit memory use. */
export class CnfRecords {
  readonly #records = new Map<string, CnfRecord>();

  /**
   * Returns the record of a pod that the operator connects to. If the pod's containers have restarted, counts the restart and resets the
   * number of tunnels.
   */
  recordOf(pod: DeepReadonly<Pod>): CnfRecord {
    const { uid = "" } = pod.metadata;
    const life = lifeOf(pod);
    const record = this.#records.get(uid) ?? new CnfRecord(pod);
    this.#records.set(uid, record);
    if (record.life === life) return record;
    record.life = life;
    record.restarts++;
    record.tunnelsUp = undefined;
    return record;
  }

  drifted(uid: string, objects: number): void {
    const record = this.#records.get(uid);
    if (record) record.drift += objects;
  }

  /** Returns the record of a pod, or undefined if the operator has not connected to the pod yet. */
  find(uid: string): CnfRecord | undefined {
    return this.#records.get(uid);
  }

  /** Returns the records of the given pods, and drops all others. */
  keep(uids: ReadonlySet<string>): readonly CnfRecord[] {
    for (const uid of this.#records.keys()) if (!uids.has(uid)) this.#records.delete(uid);
    return [...this.#records.values()];
  }
}
