import { badRequest } from "@kubewright/apimachinery";
import type { ContainerState } from "../container-run.ts";
import type { ContainerLog } from "./container-log.ts";

interface LogsOfContainer {
  readonly latest: ContainerLog;
  readonly before?: ContainerLog;
}

/** A container whose log a client has requested. */
export interface LoggedContainer {
  readonly pod: string;
  readonly name: string;
  readonly state: ContainerState;
  /** True if the container has not started because init containers are still running. */
  readonly isYetToCome: boolean;
}

/** The logs of a pod's containers: for each container, those of the current and the previous run. */
export class PodLogs {
  readonly #logs = new Map<string, LogsOfContainer>();

  /** Records the log of a container's new run. */
  began(container: string, log: ContainerLog): void {
    const before = this.#logs.get(container)?.latest;
    this.#logs.set(container, before ? { latest: log, before } : { latest: log });
  }

  /** Ends all logs. Call it when the containers no longer write output. */
  end(): void {
    for (const { latest } of this.#logs.values()) latest.end();
  }

  /**
   * Ends the log of a terminated container, and returns its last lines. If they exceed the maximum number of bytes, the
   * beginning is cut off.
   */
  async tail(container: string, tailLines: number, bytes: number): Promise<string> {
    const log = this.#logs.get(container)?.latest;
    if (!log) return "";
    log.end();
    const chunks: Buffer[] = [];
    for await (const chunk of log.read({ tailLines }, new AbortController().signal)) chunks.push(chunk);
    return Buffer.concat(chunks).subarray(-bytes).toString();
  }

  /**
   * Returns the log that a client requested.
   *
   * @throws {StatusError} 400 if the log does not exist
   *
   * @see kubernetes pkg/kubelet validateContainerLogStatus
   */
  find({ pod, name, state, isYetToCome }: LoggedContainer, previous: boolean): ContainerLog {
    const logs = this.#logs.get(name);
    const latest = logs?.latest;
    const found = previous && state.phase !== "waiting" ? logs?.before : latest; // a container that is waiting for a restart has already terminated
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
