import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import type { Fence, Reader, RefusedWrite, Writer } from "@kubewright/client";
import { type Clock, systemRandom } from "@kubewright/clock";
import {
  Elector,
  type ElectorMetrics,
  type LeaderElectionRecord,
  LeaseLock,
  type LockEvents,
  NotLeadingError,
  type ResourceLock,
} from "@kubewright/leader-election";
import { errorText, type Logger } from "@kubewright/log";

/**
 * Options for leader election: its Lease and timing. `leaseDurationMs` must exceed `renewDeadlineMs`, which must exceed
 * 1.2 times `retryPeriodMs`.
 *
 * @see controller-runtime pkg/manager Options, client-go tools/leaderelection LeaderElectionConfig
 */
export interface LeaderElectionOptions {
  /** Name of the Lease. */
  readonly id: string;
  /** Namespace of the Lease. Default: this pod's namespace, from `POD_NAMESPACE` or its service account. */
  readonly namespace?: string | undefined;
  /** Identity of this process. Default: the host name and a random part. */
  readonly identity?: string | undefined;
  /** Duration of the Lease in milliseconds. Default 15,000. */
  readonly leaseDurationMs?: number | undefined;
  /** Deadline for renewing the Lease, in milliseconds. Default 10,000. */
  readonly renewDeadlineMs?: number | undefined;
  /** Interval between attempts to acquire or renew the Lease, in milliseconds. Default 2,000. */
  readonly retryPeriodMs?: number | undefined;
  /**
   * True to release the Lease at the end, so that the next leader need not wait for it to expire. The Lease is not released if the leader's
   * work has not ended in time. Default false; with `run`, true.
   */
  readonly releaseOnCancel?: boolean | undefined;
  /** Labels for the Lease. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Lock to use instead of a Lease. */
  readonly lock?: ResourceLock | undefined;
}

interface ElectorParts {
  /** Returns true once the leader's work has ended. */
  readonly mayRelease: () => boolean;
  readonly client: Pick<Reader & Writer, "get" | "create" | "update">;
  readonly events: LockEvents;
  readonly metrics: ElectorMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** Creates the elector. @throws {Error} if the ID is missing, or the durations are inconsistent */
export function makeElector(
  options: LeaderElectionOptions,
  { client, events, mayRelease, ...parts }: ElectorParts,
): Elector {
  const { id, namespace, identity = `${hostname()}_${systemRandom.uuid()}`, labels, lock, ...durations } = options;
  if (!id && !lock) throw new Error("leaderElection.id must be configured");
  const made =
    lock ??
    new LeaseLock({
      client,
      namespace: namespace ?? (() => namespaceOfThisPod()),
      name: id,
      identity,
      events,
      ...(labels ? { labels } : {}),
    });
  return new Elector({ ...durations, ...parts, name: id, lock: new KeptLock(made, mayRelease) });
}

/** Thrown if the Lease's namespace is unknown, because none is set and this process does not run in a pod. */
export class LeaseNamespaceError extends Error {
  override readonly name = "LeaseNamespaceError";
}

/**
 * Returns the Lease's namespace, or `undefined` if the lock is not a Lease.
 *
 * @throws {LeaseNamespaceError} if no namespace is set and this process does not run in a pod
 */
export const leaseNamespace = ({ lock, namespace }: LeaderElectionOptions): string | undefined =>
  lock ? undefined : (namespace ?? namespaceOfThisPod());

/** Returns the namespace from the downward API, which takes precedence as in client-go, or from the service account. */
function namespaceOfThisPod(): string {
  const { POD_NAMESPACE: podNamespace } = process.env;
  if (podNamespace) return podNamespace;
  try {
    return readFileSync(namespaceFile, "utf8").trim();
  } catch (cause) {
    throw new LeaseNamespaceError(
      "unable to find leader election namespace: not running in-cluster, please specify leaderElection.namespace",
      { cause },
    );
  }
}

/** Allows writes while this process is the leader. The elector is set later, because the elector's own client must not be fenced. */
export class LeaderFence implements Fence {
  #elector: Elector | undefined;

  /** Must be called before the first write. */
  useElector(elector: Elector): void {
    this.#elector = elector;
  }

  check(): void {
    this.#required.assertLeading();
  }

  get signal(): AbortSignal {
    return this.#required.leadership;
  }

  refused({ what, wasSent }: RefusedWrite, cause: unknown): Error {
    const fate = wasSent ? "cancelled in progress, so the server may have processed it" : "not sent";
    return new NotLeadingError(`${what}: ${fate}: ${errorText(cause)}`, { cause });
  }

  get #required(): Elector {
    if (!this.#elector) throw new Error("the manager is still being constructed");
    return this.#elector;
  }
}

/** A lock that can be released only after `mayRelease` returns true. Until then, other processes must wait for it to expire. */
class KeptLock implements ResourceLock {
  readonly #lock: ResourceLock;
  readonly #mayRelease: () => boolean;

  constructor(lock: ResourceLock, mayRelease: () => boolean) {
    this.#lock = lock;
    this.#mayRelease = mayRelease;
  }

  get identity(): string {
    return this.#lock.identity;
  }

  get description(): string {
    return this.#lock.description;
  }

  get(signal: AbortSignal): Promise<LeaderElectionRecord> {
    return this.#lock.get(signal);
  }

  create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    return this.#lock.create(record, signal);
  }

  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    if (record.holderIdentity === "" && !this.#mayRelease())
      throw new Error(
        `${this.description} will not be released before it expires, because the leader's work has not ended`,
      );
    await this.#lock.update(record, signal);
  }

  record(text: string): void {
    this.#lock.record(text);
  }
}
