import type { RunnableDescription } from "./description.ts";

/** In the order in which a manager starts them. */
export const groupNames = ["http", "webhooks", "caches", "others", "warmup", "leaderElection"] as const;

export type GroupName = (typeof groupNames)[number];

/**
 * Anything that a manager runs.
 *
 * @see controller-runtime pkg/manager Runnable
 */
export interface Runnable {
  /** For messages: who does not end in time, say. */
  readonly name?: string;
  /** Works until the signal aborts, which is no error. A rejection ends the manager. */
  run(signal: AbortSignal): Promise<void>;
  /** Which group it starts and stops with. Default `leaderElection`: only while this process leads. */
  readonly group?: GroupName;
  /** Resolves when later groups may start: a cache has synced. Default: at once. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Begun before this process leads, to be quick once it does. */
  warmup?(signal: AbortSignal): Promise<void>;
  /** What it is, for `Manager.describe`. Asks nobody, and starts nothing. */
  describe?(): RunnableDescription;
  /** How it is doing right now, for `Manager.inspect`: what can be written as JSON. */
  inspect?(): object;
}
