import { Connection } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { createLogger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import { WebhookServer } from "@kubewright/webhook";
import { runOperator } from "sdewan-operator";
import { callOf, noCertificate, type Review, verdictIn } from "./cluster/admission.ts";
import type { ApiCall } from "./cluster/api-call.ts";
import type { ApiFaults } from "./cluster/api-faults.ts";
import { ApiLink } from "./cluster/api-link.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { CnfLink } from "./network/cnf-link.ts";
import type { CnfNetwork } from "./network/cnf-network.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { operator } from "./users/buckets.ts";

export interface ProcessOptions {
  readonly store: Cluster;
  readonly faults: ApiFaults;
  readonly network: CnfNetwork;
  readonly clock: Clock;
  readonly latencyMs: () => number;
  readonly resolve: (name: string, signal: AbortSignal) => Promise<string[]>;
  readonly cnfNamespaces: string;
  /** True if changes to CNFs are confirmed. */
  readonly confirms: boolean;
  /** Opens the connection of a TCP probe. */
  readonly connectTcp: (address: string) => Promise<void>;
  readonly onCall: (call: ApiCall, body: unknown) => void;
  readonly onLine: (line: string) => void;
  readonly bug: PlantedBug;
}

/** Interval between two checks of the CNFs. */
const checkIntervalMs = 30_000;
/** Time within which the probes must pass after a change. */
const confirmChangesMs = 10_000;
export const operatorNamespace = "sdewan-system";
const server = "http://simulated.invalid";

/** One complete process of the operator, in a simulated world. */
export class OperatorProcess {
  /** How it ended; undefined while it runs. */
  ended: { readonly error?: unknown } | undefined;
  readonly #link: ApiLink;
  readonly #stop = new AbortController();
  #isCutOff = false;
  #manager: Manager | undefined;
  readonly #bug: PlantedBug;

  /** True if it was killed, even if its code continues to run here. */
  get isKilled(): boolean {
    return this.#isCutOff;
  }

  constructor(options: ProcessOptions) {
    const { store, faults, network, clock, latencyMs, onCall, bug } = options;
    this.#bug = bug;
    this.#link = new ApiLink({
      handle: (request) => store.handle(request, operator.username),
      ...{ faults, clock, latencyMs, onCall },
    });
    const connection = new Connection({ server, handle: this.#link.handle }, { clock });
    const link = { network, clock, latencyMs, isCutOff: () => this.#isCutOff };
    runOperator(
      {
        connection: bug.api?.(connection) ?? connection,
        cnfTransport: (to) => {
          const carrier = new CnfLink(to, link);
          return bug.cnf?.(carrier) ?? carrier;
        },
        resolve: options.resolve,
        clock,
        leaderElect: true,
        leaderElectionNamespace: operatorNamespace,
        statusNamespace: operatorNamespace,
        metricsBindAddress: "0",
        checkIntervalMs,
        cnfNamespaces: options.cnfNamespaces,
        confirmChangesMs: options.confirms ? confirmChangesMs : 0,
        connectTcp: options.connectTcp,
        webhooks: { certificates: noCertificate },
        prepare: (manager) => {
          this.#manager = manager;
          bug.prepare?.(manager);
        },
        logger: createLogger({ level: "debug", destination: { write: options.onLine } }),
      },
      this.#stop.signal,
    ).then(
      () => {
        this.ended = {};
      },
      (error: unknown) => {
        this.ended = { error };
      },
    );
  }

  /** Returns the decision of its webhooks; undefined without an answer. */
  async admits(review: Review): Promise<boolean | undefined> {
    const server = this.#manager?.webhooks.server;
    if (!(server instanceof WebhookServer)) throw new Error("the operator has no webhooks");
    const answer = await server.answer(callOf(this.#bug.review?.(review) ?? review, this.#stop.signal));
    return answer?.status === 200 ? verdictIn(answer.body) : undefined;
  }

  /** Returns its metrics, as scraped. */
  async metrics(): Promise<string> {
    return (await this.#manager?.metrics.metrics()) ?? "";
  }

  get openWatches(): number {
    return this.#link.openWatches;
  }

  cutWatches(error: Error | undefined): void {
    this.#link.cutWatches(error);
  }

  /** Simulates SIGTERM. */
  stop(): void {
    this.#stop.abort();
  }

  /** Simulates SIGKILL: no further action has an effect. */
  kill(): void {
    this.#isCutOff = true;
    this.#link.cutOff();
    this.#stop.abort();
  }
}
