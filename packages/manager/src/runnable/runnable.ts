import type { RunnableDescription } from "./description.ts";

/** In the order in which a manager starts them. */
export const groupNames = ["http", "webhooks", "caches", "others", "warmup", "leaderElection"] as const;

/**
 * Which runnables start together and stop together. Groups start in the order `http`, `webhooks`, `caches`, `others`, `warmup`, and
 * `leaderElection` once this process leads; they stop with `others` first and `http` last.
 */
export type GroupName = (typeof groupNames)[number];

/** How closely somebody looks. */
export interface InspectionDetail {
  /** So many rows of each kind at most. */
  readonly limit: number;
  /** Only what has this in its key. */
  readonly search?: string | undefined;
  /** Only this key. */
  readonly key?: string | undefined;
}

/** What a runnable has to say of itself. */
export interface Inspection {
  readonly name: string;
  readonly group: GroupName;
  /** What its `inspect` answered. */
  readonly state: object;
}

/**
 * Anything that a manager runs.
 *
 * @see controller-runtime pkg/manager Runnable
 */
export interface Runnable {
  /** For messages: who does not end in time, say. */
  readonly name?: string;
  /**
   * Works until the signal aborts, which is no error. A rejection ends the manager.
   *
   * @param ending aborts when the manager begins to stop, before any group's turn to end has come. What others wait for, such as a cache, lets
   * them go then and works on until `signal` aborts, so that they can end before it does. Everybody else need not look at it.
   */
  run(signal: AbortSignal, ending?: AbortSignal): Promise<void>;
  /** Which group it starts and stops with. Default `leaderElection`: only while this process leads. */
  readonly group?: GroupName;
  /** Resolves when later groups may start: a cache has synced. Default: at once. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Begun before this process leads, to be quick once it does. */
  warmup?(signal: AbortSignal, ending?: AbortSignal): Promise<void>;
  /** What it is, for `Manager.describe`. Asks nobody, and starts nothing. */
  describe?(): RunnableDescription;
  /**
   * How it is doing right now, for `Manager.inspect`: what can be written as JSON.
   *
   * @param detail asks for more than a few numbers; only the runnable that is looked at is given one
   */
  inspect?(detail?: InspectionDetail): object;
}
