import type { Permission } from "@kubewright/apimachinery";
import type {
  DescribedCache,
  DescribedCertificates,
  DescribedConsole,
  DescribedController,
  DescribedWebhook,
} from "@kubewright/rbac";

/** Names of the groups, in the order in which a manager starts them. */
export const groupNames = ["http", "webhooks", "caches", "others", "warmup", "leaderElection"] as const;

/**
 * A group of runnables that start together and stop together. Groups start in the order `http`, `webhooks`, `caches`, `others`, `warmup`
 * and, once this process is the leader, `leaderElection`. The group `others` stops first, `http` last.
 */
export type GroupName = (typeof groupNames)[number];

/** Details to include in an inspection. */
export interface InspectionDetail {
  /** Maximum number of rows of each type. */
  readonly limit: number;
  /** Text that the keys of returned entries must contain. */
  readonly search?: string | undefined;
  /** The only key to return. */
  readonly key?: string | undefined;
  /** State that returned entries must have, such as `failing`. */
  readonly state?: string | undefined;
}

/** The state of a runnable. */
export interface Inspection {
  readonly name: string;
  readonly group: GroupName;
  /** Result of the runnable's `inspect`. */
  readonly state: object;
}

/**
 * A part of a program that a manager runs.
 *
 * @see controller-runtime pkg/manager Runnable
 */
export interface Runnable {
  /** Name for messages, for example if the runnable does not end in time. */
  readonly name?: string | undefined;
  /**
   * Runs until the signal aborts, which is not an error. If it rejects, the manager stops.
   *
   * @param stopping aborts when the manager begins to stop, before it stops the first group. If other runnables wait
   * for this one, as they do for a cache, this runnable must then stop them from waiting, so that they can end first.
   * This runnable itself continues to run until `signal` aborts. All other runnables can ignore `stopping`.
   */
  run(signal: AbortSignal, stopping?: AbortSignal): Promise<void>;
  /** Group with which the runnable starts and stops. Default `leaderElection`: it runs only while this process is the leader. */
  readonly group?: GroupName | undefined;
  /** Resolves when later groups may start, for example when a cache has synced. Default: immediately. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Runs before this process becomes the leader, so that the runnable can start working sooner afterwards. */
  warmup?(signal: AbortSignal, stopping?: AbortSignal): Promise<void>;
  /** Describes the runnable for `Manager.describe`. Sends no requests and starts nothing. */
  describe?(): RunnableDescription;
  /**
   * Returns the runnable's current state for `Manager.inspect`. The state must be serializable as JSON.
   *
   * @param detail requests details in addition to a few numbers. Passed only to the runnable that is inspected.
   */
  inspect?(detail?: InspectionDetail): object;
  /** Carries out a user's action on one key, for `Manager.control`. @returns false, without effect, if that is not possible */
  control?(action: KeyAction, key: string, by: string): boolean;
}

/** Action on a controller's key: queue it, pause it (do not reconcile it until it is resumed), or resume it. */
export type KeyAction = "reconcile" | "pause" | "resume";

/** Describes a runnable as far as possible without running it. An absent field is equivalent to an empty one. */
export interface RunnableDescription {
  readonly controllers?: readonly DescribedController[] | undefined;
  readonly webhooks?: readonly DescribedWebhook[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  readonly caches?: readonly DescribedCache[] | undefined;
  readonly console?: DescribedConsole | undefined;
  /** Permissions that cannot be derived from the other fields. */
  readonly permissions?: readonly Permission[] | undefined;
}
