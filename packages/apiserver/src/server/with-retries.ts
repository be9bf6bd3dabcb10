import { Backoff, type Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";

/** Options for a task that is retried until it succeeds. */
export interface WithRetriesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Description of the failure, for the log. */
  readonly what: string;
  readonly signal: AbortSignal;
}

/**
 * Repeats background work of the server until the work succeeds or the signal aborts. If the storage is temporarily
 * unavailable (for example, because etcd restarts), the process continues, and does the work later.
 */
export async function withRetries(work: () => Promise<void>, options: WithRetriesOptions): Promise<void> {
  const { clock, logger, what, signal } = options;
  const backoff = new Backoff({ baseMs: 100, maxMs: 5_000 });
  while (!signal.aborted) {
    try {
      return await work();
    } catch (err) {
      if (signal.aborted) return;
      logger.error({ err }, `${what}; retrying`);
      await clock.sleep(backoff.next(), signal);
    }
  }
}
