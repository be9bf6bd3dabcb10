import { ignoreNotFound, isNoMatch, type Kind, type KubeObject, mutableCopy } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { type Clock, rfc3339Micro, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";

/** A LeaseCandidate in API format. */
export interface LeaseCandidateObject extends KubeObject {
  spec?: {
    leaseName: string;
    binaryVersion?: string;
    emulationVersion?: string;
    strategy?: string;
    /** Time at which the coordinator last checked whether the candidate is alive. */
    pingTime?: string;
    renewTime?: string;
  };
}

/**
 * The LeaseCandidate kind, whose objects are {@link LeaseCandidateObject}s. Available on servers with the feature
 * `CoordinatedLeaderElection` enabled.
 */
export const leaseCandidates: Kind<LeaseCandidateObject> = {
  group: "coordination.k8s.io",
  version: "v1beta1",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
};

/**
 * Options for a {@link LeaseCandidate}: the lease, and the data by which the coordinator compares candidates. Versions
 * are semantic versions, such as `1.37.0`.
 *
 * @see client-go tools/leaderelection NewCandidate
 */
export interface LeaseCandidateOptions {
  /** Client that reads from the server instead of a cache. */
  readonly client: Pick<Client, "get" | "create" | "update" | "watch">;
  readonly namespace: string;
  /** Name of the candidate. It is the identity with which the candidate locks the lease. */
  readonly name: string;
  /** Name of the Lease, in the same namespace. */
  readonly leaseName: string;
  readonly binaryVersion: string;
  /** Emulation version. Default: the binary version. */
  readonly emulationVersion?: string | undefined;
  /** Strategy that the coordinator should use. Default `OldestEmulationVersion`. */
  readonly strategy?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

const renewMs = 5 * 60_000;
const retryMs = 1_000;
/** Interval at which a candidate tries again on a server that does not serve the kind. */
const unservedRetryMs = 30_000;
const unserved =
  "the server does not serve LeaseCandidates, so this process cannot become the leader: enable the feature gate CoordinatedLeaderElection and the API coordination.k8s.io/v1beta1 on the server, or use an elector without `coordinated`";

/**
 * Registers this process with the coordinator that assigns the lease in a coordinated election. Maintains a
 * LeaseCandidate object, and responds to each ping by updating its renew time. Use it with an elector that is
 * `coordinated`.
 *
 * @see client-go tools/leaderelection LeaseCandidate
 */
export class LeaseCandidate {
  readonly #options: LeaseCandidateOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #isUnserved = false;

  constructor(options: LeaseCandidateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? silentLogger);
  }

  /**
   * Maintains the candidate until the signal aborts. Errors are logged and retried. If the server does not serve LeaseCandidates, this is
   * logged once, with the remedy.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isOver = new AbortController();
      const roundSignal = AbortSignal.any([signal, isOver.signal]);
      const renewAt = this.#clock.after(renewMs, () => isOver.abort(), { unref: true });
      const began = this.#clock.monotonic();
      try {
        await this.#answer(roundSignal);
      } catch (err) {
        if (!roundSignal.aborted) this.#report(err);
      } finally {
        renewAt.cancel();
        isOver.abort();
      }
      // A long watch was ended by the server, or because the candidate must be renewed. A watch that ended immediately indicates an error.
      const waitMs = this.#isUnserved ? unservedRetryMs : retryMs;
      if (this.#clock.monotonic() - began < waitMs) await this.#clock.sleep(waitMs, signal);
    }
  }

  #report(err: unknown): void {
    const wasUnserved = this.#isUnserved;
    this.#isUnserved = isNoMatch(err);
    const candidate = this.#description;
    if (!this.#isUnserved) this.#logger.error({ err, candidate }, "lease candidate failed");
    else if (!wasUnserved) this.#logger.error({ candidate }, unserved);
  }

  get #description(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  async #answer(signal: AbortSignal): Promise<void> {
    const { client, namespace, name } = this.#options;
    const { resourceVersion } = (await this.#ensure(signal)).metadata;
    this.#isUnserved = false;
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

  /** Creates or renews the candidate. */
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

/** Reports whether the candidate was pinged after its last renewal. Microseconds are significant, and both times have six digits. */
const isPinged = ({ spec }: LeaseCandidateObject): boolean =>
  spec?.pingTime !== undefined && (spec.renewTime === undefined || spec.pingTime > spec.renewTime);
