import { badRequest } from "@kubewright/apimachinery";
import type { ContainerState } from "../container-run.ts";
import type { ContainerLog } from "./container-log.ts";

interface LogsOfContainer {
  readonly latest: ContainerLog;
  readonly before?: ContainerLog;
}

/** A container as somebody sees it who wants its log. */
export interface LoggedContainer {
  readonly pod: string;
  readonly name: string;
  readonly state: ContainerState;
  /** Its turn comes after init containers that have not ended. */
  readonly isYetToCome: boolean;
}

/** What the containers of a pod wrote: of each, in its latest run and in the one before. */
export class PodLogs {
  readonly #logs = new Map<string, LogsOfContainer>();

  /** A run has begun. */
  began(container: string, log: ContainerLog): void {
    const before = this.#logs.get(container)?.latest;
    this.#logs.set(container, before ? { latest: log, before } : { latest: log });
  }

  /** Nobody writes any more. */
  end(): void {
    for (const { latest } of this.#logs.values()) latest.end();
  }

  /**
   * The log that is meant.
   *
   * @throws {StatusError} 400 where there is none
   * @see kubernetes pkg/kubelet validateContainerLogStatus
   */
  find({ pod, name, state, isYetToCome }: LoggedContainer, previous: boolean): ContainerLog {
    const logs = this.#logs.get(name);
    const latest = logs?.latest;
    const found = previous && state.phase !== "waiting" ? logs?.before : latest; // what waits to be started again has ended before
    if (found) return found;
    if (previous) throw badRequest(`previous terminated container "${name}" in pod "${pod}" not found`);
    throw badRequest(`container "${name}" in pod "${pod}" is waiting to start: ${whyWaiting(state, isYetToCome)}`);
  }
}

function whyWaiting(state: ContainerState, isYetToCome: boolean): string {
  const reason = state.phase === "waiting" ? state.reason : "ContainerCreating";
  if (reason === "ImagePullBackOff") return "trying and failing to pull image";
  return isYetToCome && reason === "ContainerCreating" ? "PodInitializing" : reason;
}
