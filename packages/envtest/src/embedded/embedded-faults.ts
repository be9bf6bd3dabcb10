import { type Kind, mappingOf } from "@kubewright/apimachinery";
import type { ApiServer, FaultTarget } from "@kubewright/kube-apiserver";
import { failureStatus } from "../bed/failure-status.ts";
import type { Delay, Failure, Faults, RequestMatch } from "../bed/faults.ts";

/** Delay in milliseconds that is longer than any test. */
const foreverMs = 1e12;

/** Injects faults into the embedded server. */
export class EmbeddedFaults implements Faults {
  readonly #server: ApiServer;
  #hasHangs = false;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  cutWatches(kind?: Kind): number {
    return this.#server.faults.cutWatches(targetOf({ kind }));
  }

  expireWatches(kind?: Kind): number {
    return this.#server.faults.expireWatches(targetOf({ kind }));
  }

  cutConnections(): void {
    this.#server.dropConnections();
  }

  failNext(failure: Failure): void {
    const { status, count = 1, retryAfterSeconds } = failure;
    const { reason = "", message = "" } = failureStatus(failure);
    this.#server.faults.failNext({
      ...targetOf(failure),
      status,
      count,
      reason,
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }

  delay({ ms, count, ...match }: Delay): void {
    this.#server.faults.delay({ ...targetOf(match), ms, ...(count === undefined ? {} : { count }) });
  }

  hang(match: RequestMatch = {}): void {
    this.#hasHangs = true;
    this.#server.faults.delay({ ...targetOf(match), ms: foreverMs });
  }

  async refuseConnections(): Promise<void> {
    this.#server.faults.refuseConnections(true);
    this.#server.dropConnections();
  }

  goBackInTime(resourceVersion: string): Promise<void> {
    return this.#server.goBackInTime(resourceVersion);
  }

  async clear(): Promise<void> {
    this.#server.faults.clear();
    // Hanging requests are dropped instead of receiving a late response.
    if (this.#hasHangs) this.#server.dropConnections();
    this.#hasHangs = false;
  }
}

function targetOf({ kind, verb, subResource }: RequestMatch): FaultTarget {
  const { gvr } = kind ? mappingOf(kind) : {};
  return {
    ...(gvr ? { group: gvr.group, resource: gvr.resource } : {}),
    ...(verb === undefined ? {} : { verb }),
    ...(subResource === undefined ? {} : { subresource: subResource }),
  };
}
