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
 * Repeats a background task of the server until it succeeds or the signal aborts. If the storage is temporarily
 * unavailable, for example because etcd is restarting, the server keeps running and completes the task later.
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
