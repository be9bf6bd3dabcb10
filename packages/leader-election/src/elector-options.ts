import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ElectorMetrics } from "./elector-observers.ts";
import type { Observed, ResourceLock } from "./resource-lock.ts";

/**
 * Options for an elector: its lock and timing. `leaseDurationMs` must exceed `renewDeadlineMs`, which must exceed 1.2
 * times `retryPeriodMs`.
 *
 * @see client-go tools/leaderelection LeaderElectionConfig
 */
export interface ElectorOptions {
  readonly lock: ResourceLock;
  /** Time in milliseconds that other candidates wait after the last renewal they observed before they take over. Default 15,000. */
  readonly leaseDurationMs?: number | undefined;
  /** Maximum time in milliseconds that the leader leads without a renewal, counted from sending the last renewal. Default 10,000. */
  readonly renewDeadlineMs?: number | undefined;
  /** Time in milliseconds between two attempts. Candidates wait up to 2.2 times as long. Default 2,000. */
  readonly retryPeriodMs?: number | undefined;
  /** True to release the lease at the end, so that the next leader need not wait for it to expire. Default false. */
  readonly releaseOnCancel?: boolean | undefined;
  /**
   * True for coordinated election, in which a coordinator assigns the lease. A candidate does not acquire the lease by itself. The
   * candidate renews a lease that names it as the holder, and lets the lease expire once another candidate is preferred. Use this option
   * with a `LeaseCandidate`. Default false.
   */
  readonly coordinated?: boolean | undefined;
  /**
   * Earlier observation of the lock by this process, on the same clock. The elector then need not wait for the whole
   * lease duration if the holder stopped renewing before. Default: none.
   */
  readonly observed?: Observed | undefined;
  /** Name of the election, for metrics and messages. Default: the lock's description. */
  readonly name?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Logger. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Metrics of the election. Default: none. */
  readonly metrics?: ElectorMetrics | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

/** Maximum extra delay, as a fraction of the retry period, so that candidates do not all try at the same time. */
export const jitterFactor = 1.2;
/** Maximum lease duration. The API server stores whole seconds in 32 bits. */
const longestLeaseMs = (2 ** 31 - 1) * 1_000;

/** Returns the durations with defaults applied. @throws {Error} if they are inconsistent */
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
