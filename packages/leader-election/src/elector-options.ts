import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ResourceLock } from "./resource-lock.ts";

/** `leader_election_master_status` and `leader_election_slowpath_total`, by lock. */
export interface ElectorMetrics {
  /** Told at the start (false), and whenever the lock `name` is won or lost. */
  leading(name: string, leads: boolean): void;
  /** The leader could not renew the lock by what it knew of it, and reads it first. */
  slowPath(name: string): void;
}

/**
 * What an elector competes for, and how patiently. The lease must outlast the deadline, and the deadline 1.2 retry periods.
 *
 * @see client-go tools/leaderelection LeaderElectionConfig
 */
export interface ElectorOptions {
  readonly lock: ResourceLock;
  /** Others wait so long after the last renewal that they saw before they take over. Default 15,000 ms. */
  readonly leaseDurationMs?: number | undefined;
  /** The leader leads no longer than this without renewing, counted from sending the renewal. Default 10,000 ms. */
  readonly renewDeadlineMs?: number | undefined;
  /** Between two tries; candidates wait up to 2.2 times as long. Default 2,000 ms. */
  readonly retryPeriodMs?: number | undefined;
  /** Give the lease back at the end, so that the next leader need not wait. Default false. */
  readonly releaseOnCancel?: boolean | undefined;
  /**
   * A coordinator names the holder of the lease: a candidate takes none by itself, it renews what names it, and lets it run out once
   * another is preferred. Goes with a `LeaseCandidate`. Default false.
   */
  readonly coordinated?: boolean | undefined;
  /** Default: the lock's description. */
  readonly name?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  /** Default: nobody is told. */
  readonly metrics?: ElectorMetrics | undefined;
  /** Numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Candidates wait up to so much longer than the retry period, so that they do not all try at once. */
export const jitterFactor = 1.2;
/** The API server keeps whole seconds, in 32 bits. */
const longestLeaseMs = (2 ** 31 - 1) * 1_000;

/** How long what takes. @throws {Error} if it does not fit together */
export function electionTimes(
  options: Pick<ElectorOptions, "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs">,
): Record<"leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs", number> {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (!(leaseDurationMs > renewDeadlineMs)) throw new Error(`leaseDurationMs must be greater than renewDeadlineMs`);
  if (!(renewDeadlineMs > retryPeriodMs * jitterFactor))
    throw new Error(`renewDeadlineMs must be greater than retryPeriodMs * ${jitterFactor}`);
  if (!(retryPeriodMs > 0)) throw new Error(`retryPeriodMs must be greater than zero`);
  if (!(leaseDurationMs <= longestLeaseMs)) throw new Error(`leaseDurationMs must be at most ${longestLeaseMs}`);
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
