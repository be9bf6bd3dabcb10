import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { lifeOf } from "../cnf/pod-state.ts";
import type { ServiceName } from "../uci/cnf-kind.ts";

/** Why a request failed: no answer, nobody let in, refused for what it says (4xx), or failed within the CNF (5xx). */
export type ErrorReason = "network" | "auth" | "refused" | "failed";

/** An object on a CNF, by the path of its collection and its name there. */
export interface CnfObject {
  readonly path: string;
  readonly name: string;
}

/** What is counted of one CNF pod. */
export class CnfRecord {
  readonly namespace: string;
  readonly pod: string;
  readonly purpose: string;
  life: string;
  /** Whether it answered the last request; nothing before the first. */
  isReachable: boolean | undefined;
  /** Since when that is so, in milliseconds since 1970. */
  reachableSinceMs: number | undefined;
  lastAnswerMs: number | undefined;
  /** What last went wrong with a request, without what was sent as a secret. */
  lastError: { readonly atMs: number; readonly message: string; readonly object?: CnfObject } | undefined;
  /** Of the last answer to a question. */
  latencySeconds: number | undefined;
  requests = 0;
  requestSeconds = 0;
  readonly errors = new Map<ErrorReason, number>();
  readonly serviceRestarts = new Map<ServiceName, number>();
  restarts = 0;
  drift = 0;
  /** Nothing until the CNF has said it. */
  tunnelsUp: number | undefined;

  constructor(pod: DeepReadonly<Pod>) {
    const { name, namespace = "", labels } = pod.metadata;
    this.namespace = namespace;
    this.pod = name;
    this.purpose = labels?.[purposeLabel] ?? "";
    this.life = lifeOf(pod);
  }

  /** It answered, whatever it said, or it did not. */
  answered(answers: boolean, nowMs: number): void {
    if (this.isReachable !== answers) this.reachableSinceMs = nowMs;
    this.isReachable = answers;
    if (answers) this.lastAnswerMs = nowMs;
  }

  failed(reason: ErrorReason): void {
    this.errors.set(reason, (this.errors.get(reason) ?? 0) + 1);
  }

  serviceRestarted(service: ServiceName): void {
    this.serviceRestarts.set(service, (this.serviceRestarts.get(service) ?? 0) + 1);
  }
}

/** What is counted of all CNF pods: of those that there are, so that nothing grows with the pods that there were. */
export class CnfLedger {
  readonly #records = new Map<string, CnfRecord>();

  /** The record of a pod that is connected to. A new life of the pod is counted, and begins without an answer. */
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

  /** Nothing: nobody has connected to the pod yet. */
  find(uid: string): CnfRecord | undefined {
    return this.#records.get(uid);
  }

  /** The records of pods that there are still; the others are forgotten. */
  keep(uids: ReadonlySet<string>): readonly CnfRecord[] {
    for (const uid of this.#records.keys()) if (!uids.has(uid)) this.#records.delete(uid);
    return [...this.#records.values()];
  }
}
