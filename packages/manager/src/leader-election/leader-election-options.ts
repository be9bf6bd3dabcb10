import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import type { Reader, Writer } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import {
  Elector,
  type ElectorMetrics,
  LeaseLock,
  type LockEvents,
  type ResourceLock,
} from "@kubewright/leader-election";
import type { Logger } from "@kubewright/log";
import { KeptLock } from "./kept-lock.ts";

/**
 * Which Lease decides who leads, and how patiently. `leaseDurationMs` must exceed `renewDeadlineMs`, and that 1.2 times `retryPeriodMs`.
 *
 * @see controller-runtime pkg/manager Options, client-go tools/leaderelection LeaderElectionConfig
 */
export interface LeaderElectionOptions {
  /** Name of the Lease. */
  readonly id: string;
  /** Where the Lease is. Default: the namespace that this pod runs in, by `POD_NAMESPACE` or its service account. */
  readonly namespace?: string;
  /** Default: the machine's name and something random. */
  readonly identity?: string;
  /** Default 15,000 ms. */
  readonly leaseDurationMs?: number;
  /** Default 10,000 ms. */
  readonly renewDeadlineMs?: number;
  /** Default 2,000 ms. */
  readonly retryPeriodMs?: number;
  /**
   * Give the Lease back at the end, so that the next leader need not wait for it to expire. It is kept where something that only
   * the leader runs has not ended in time. Default false; of `run`, true.
   */
  readonly releaseOnCancel?: boolean;
  /** Put on the Lease. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Instead of a Lease. */
  readonly lock?: ResourceLock;
}

export interface ElectorParts {
  /** Whether everything has ended that only the leader runs. */
  readonly mayRelease: () => boolean;
  readonly client: Pick<Reader & Writer, "get" | "create" | "update">;
  readonly events: LockEvents;
  readonly metrics: ElectorMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** @throws {Error} if the durations do not fit together */
export function makeElector(
  options: LeaderElectionOptions,
  { client, events, mayRelease, ...parts }: ElectorParts,
): Elector {
  const { id, namespace, identity = `${hostname()}_${crypto.randomUUID()}`, labels, lock, ...durations } = options;
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

/** No namespace is given for the Lease, and this process is not in a pod. */
export class LeaseNamespaceError extends Error {
  override readonly name = "LeaseNamespaceError";
}

/** Where the lease is; `undefined` where another lock is taken. @throws {LeaseNamespaceError} if no namespace is given and this is no pod */
export const leaseNamespace = ({ lock, namespace }: LeaderElectionOptions): string | undefined =>
  lock ? undefined : (namespace ?? namespaceOfThisPod());

/** As it is told through the downward API, which comes first as in client-go; or as its service account has it. */
function namespaceOfThisPod(): string {
  const { POD_NAMESPACE: told } = process.env;
  if (told) return told;
  try {
    return readFileSync(namespaceFile, "utf8").trim();
  } catch (cause) {
    throw new LeaseNamespaceError(
      "unable to find leader election namespace: not running in-cluster, please specify leaderElection.namespace",
      { cause },
    );
  }
}
