import { type Kind, mappingOf } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { ApiServer, type FaultTarget } from "@kubewright/kube-apiserver";
import type { Logger } from "@kubewright/log";
import { boundToken } from "../bed/bound-token.ts";
import { failureStatus } from "../bed/failure-status.ts";
import type { Delay, Failure, Faults, RequestMatch } from "../bed/faults.ts";
import type { Account, InProcessHandle, TestBed, TestConnection, TestUser } from "../bed/test-bed.ts";

export interface EmbeddedBedOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly authorization: "RBAC" | "AlwaysAllow";
  readonly serviceAccountAdmission: boolean;
  /** True to run without opening a port. */
  readonly inProcess: boolean;
}

/** A test bed with the embedded API server, which runs in this process. */
export class EmbeddedBed implements TestBed {
  readonly name = "embedded";
  readonly faults: Faults;
  readonly #server: ApiServer;
  readonly #clock: Clock;

  private constructor(server: ApiServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    this.faults = new EmbeddedFaults(server);
  }

  static async start(options: EmbeddedBedOptions): Promise<EmbeddedBed> {
    const { clock, logger, authorization, serviceAccountAdmission, inProcess } = options;
    // As in upstream's envtest, the plugin is disabled by default, because no controller creates the default service
    // accounts.
    const disableAdmissionPlugins = serviceAccountAdmission ? [] : ["ServiceAccount"];
    const server = await ApiServer.start({
      clock,
      logger,
      authorization: [authorization],
      disableAdmissionPlugins,
      listen: !inProcess,
    });
    return new EmbeddedBed(server, clock);
  }

  async connectionFor({ name, groups = [] }: TestUser): Promise<TestConnection> {
    this.#server.addUser({ name, groups });
    const connection = this.#server.connection(name);
    return { ...connection, caData: connection.caData ?? "" };
  }

  connectInProcess(host: string, handle: InProcessHandle): () => void {
    return this.#server.connectInProcess(host, handle);
  }

  accountToken(account: Account, expiresInSeconds: number): Promise<string> {
    return boundToken(this.#server.serviceAccountTokens, account, this.#clock.now(), expiresInSeconds);
  }

  async restart(): Promise<void> {
    await this.#server.restart();
  }

  async compact(): Promise<void> {
    await this.#server.compact();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

/** Delay in milliseconds that is longer than any test. */
const foreverMs = 1e12;

/** Injects faults into the embedded server. */
class EmbeddedFaults implements Faults {
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
