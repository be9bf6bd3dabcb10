import { ignoreNotFound, type Kind, type KubeObject, mutableCopy } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type Clock, rfc3339Micro, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";

/** One that may be made the holder of a lease, as on the wire. */
export interface LeaseCandidateObject extends KubeObject {
  spec?: {
    leaseName: string;
    binaryVersion?: string;
    emulationVersion?: string;
    strategy?: string;
    /** The coordinator asks whether the candidate is still there. */
    pingTime?: string;
    renewTime?: string;
  };
}

/** Servers have it where the feature `CoordinatedLeaderElection` is on. */
export const leaseCandidates: Kind<LeaseCandidateObject> = {
  group: "coordination.k8s.io",
  version: "v1beta1",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
};

/**
 * Which lease a process offers to hold, and what the coordinator compares it by: versions are semantic ones, such as `1.36.0`.
 *
 * @see client-go tools/leaderelection NewCandidate
 */
export interface LeaseCandidateOptions {
  /** Reads must come from the server, not from a cache. */
  readonly client: Pick<Client, "get" | "create" | "update" | "watch">;
  readonly namespace: string;
  /** Of the candidate: the identity with which it locks the lease. */
  readonly name: string;
  /** The Lease that it would hold, in the same namespace. */
  readonly leaseName: string;
  readonly binaryVersion: string;
  /** Default: the binary version. */
  readonly emulationVersion?: string | undefined;
  /** How the coordinator chooses. Default `OldestEmulationVersion`. */
  readonly strategy?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

const renewMs = 5 * 60_000;
const retryMs = 1_000;

/**
 * Offers this process to the coordinator, which names the holder of a lease in a coordinated election: keeps a LeaseCandidate, and
 * answers each ping with a newer renew time. The elector beside it is `coordinated`.
 *
 * @see client-go tools/leaderelection LeaseCandidate
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

  /** Is a candidate until the signal aborts. Troubles are logged, and it tries again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isOver = new AbortController();
      const ending = AbortSignal.any([signal, isOver.signal]);
      const renewAt = this.#clock.after(renewMs, () => isOver.abort(), { unref: true });
      const began = this.#clock.monotonic();
      try {
        await this.#answer(ending);
      } catch (err) {
        if (!ending.aborted) this.#logger.error({ err, candidate: this.#description }, "lease candidate failed");
      } finally {
        renewAt.cancel();
        isOver.abort();
      }
      // A watch that lasted was ended by the server, or it is time to renew; one that did not is trouble.
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

/** Microseconds count, and both times are written with six digits. */
const isPinged = ({ spec }: LeaseCandidateObject): boolean =>
  spec?.pingTime !== undefined && (spec.renewTime === undefined || spec.pingTime > spec.renewTime);
