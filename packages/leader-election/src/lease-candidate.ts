import { ignoreNotFound, type Kind, type KubeObject, mutableCopy } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type Clock, rfc3339Micro, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";

/** A candidate for a lease, in its wire form. */
export interface LeaseCandidateObject extends KubeObject {
  spec?: {
    leaseName: string;
    binaryVersion?: string;
    emulationVersion?: string;
    strategy?: string;
    /** Set by the coordinator to check whether the candidate is still alive. */
    pingTime?: string;
    renewTime?: string;
  };
}

/** Kind of {@link LeaseCandidateObject}. Available on servers with the `CoordinatedLeaderElection` feature enabled. */
export const leaseCandidates: Kind<LeaseCandidateObject> = {
  group: "coordination.k8s.io",
  version: "v1beta1",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
};

/**
 * The lease that a process is a candidate for, and the data that the coordinator compares: versions are semantic, such as `1.36.0`.
 *
 * @see client-go tools/leaderelection NewCandidate
 */
export interface LeaseCandidateOptions {
  /** Client whose reads come from the server, not from a cache. */
  readonly client: Pick<Client, "get" | "create" | "update" | "watch">;
  readonly namespace: string;
  /** Name of the candidate: the identity with which it locks the lease. */
  readonly name: string;
  /** The Lease's name, in the same namespace. */
  readonly leaseName: string;
  readonly binaryVersion: string;
  /** Emulation version. Default: the binary version. */
  readonly emulationVersion?: string | undefined;
  /** Strategy of the coordinator. Default `OldestEmulationVersion`. */
  readonly strategy?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

const renewMs = 5 * 60_000;
const retryMs = 1_000;

/**
 * Registers this process with the coordinator, which assigns the lease in a coordinated election: maintains a LeaseCandidate, and
 * responds to each ping with a newer renew time. Use it with an elector that is `coordinated`.
 *
 * @see client-go tools/leaderelection LeaseCandidate
 *
 */
export class LeaseCandidate {
  readonly #options: LeaseCandidateOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(options: LeaseCandidateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? silentLogger);
  }

  /** Maintains the candidate until the signal aborts. Errors are logged and retried. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isOver = new AbortController();
      const roundSignal = AbortSignal.any([signal, isOver.signal]);
      const renewAt = this.#clock.after(renewMs, () => isOver.abort(), { unref: true });
      const began = this.#clock.monotonic();
      try {
        await this.#answer(roundSignal);
      } catch (err) {
        if (!roundSignal.aborted) this.#logger.error({ err, candidate: this.#description }, "lease candidate failed");
      } finally {
        renewAt.cancel();
        isOver.abort();
      }
      // A watch that lasted was ended by the server, or it is time to renew; one that ended at once indicates an error.
      if (this.#clock.monotonic() - began < retryMs) await this.#clock.sleep(retryMs, signal);
    }
  }

  get #description(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  async #answer(signal: AbortSignal): Promise<void> {
    const { client, namespace, name } = this.#options;
    const { resourceVersion } = (await this.#ensure(signal)).metadata;
    const fields = { "metadata.name": name };
    for await (const { type, object } of client.watch(leaseCandidates, {
      namespace,
      fields,
      resourceVersion,
      signal,
    })) {
      if (type === "DELETED" || (type === "MODIFIED" && isPinged(object))) await this.#ensure(signal);
    }
  }

  /** Creates the candidate, or renews it. */
  async #ensure(signal: AbortSignal): Promise<LeaseCandidateObject> {
    const { client, namespace, name } = this.#options;
    const present = await client.get(leaseCandidates, { namespace, name }, { signal }).catch(ignoreNotFound);
    const renewTime = rfc3339Micro(this.#clock.now());
    if (!present) return client.create(leaseCandidates, this.#candidate(renewTime), { signal });
    const spec = mutableCopy(present.spec) ?? { leaseName: this.#options.leaseName };
    return client.update(leaseCandidates, { ...present, spec: { ...spec, renewTime } }, { signal });
  }

  #candidate(renewTime: string): LeaseCandidateObject {
    const { namespace, name, leaseName, binaryVersion, emulationVersion = binaryVersion } = this.#options;
    const { strategy = "OldestEmulationVersion" } = this.#options;
    return {
      apiVersion: "coordination.k8s.io/v1beta1",
      kind: leaseCandidates.kind,
      metadata: { name, namespace },
      spec: { leaseName, binaryVersion, emulationVersion, strategy, renewTime },
    };
  }
}

/** Microseconds are significant, and both times are written with six digits. */
const isPinged = ({ spec }: LeaseCandidateObject): boolean =>
  spec?.pingTime !== undefined && (spec.renewTime === undefined || spec.pingTime > spec.renewTime);
