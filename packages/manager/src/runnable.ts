import type { Permission } from "@kubewright/apimachinery";
import type {
  DescribedCache,
  DescribedCertificates,
  DescribedConsole,
  DescribedController,
  DescribedWebhook,
} from "@kubewright/rbac";

/** Groups, in the order in which a manager starts them. */
export const groupNames = ["http", "webhooks", "caches", "others", "warmup", "leaderElection"] as const;

/**
 * A group of runnables that start together and stop together. Groups start in the order `http`, `webhooks`, `caches`, `others`, `warmup`,
 * and `leaderElection` once this process is the leader; they stop with `others` first and `http` last.
 */
export type GroupName = (typeof groupNames)[number];

/** Detail of an inspection. */
export interface InspectionDetail {
  /** Maximum number of rows of each kind. */
  readonly limit: number;
  /** Returns only entries that contain this text in their key. */
  readonly search?: string | undefined;
  /** Returns only this key. */
  readonly key?: string | undefined;
}

/** The state of a runnable. */
export interface Inspection {
  readonly name: string;
  readonly group: GroupName;
  /** Result of its `inspect`. */
  readonly state: object;
}

/**
 * Anything that a manager runs.
 *
 * @see controller-runtime pkg/manager Runnable
 */
export interface Runnable {
  /** Name for messages, for example if it does not end in time. */
  readonly name?: string | undefined;
  /**
   * Runs until the signal aborts, which is not an error. A rejection ends the manager.
   *
   * @param ending aborts when the manager begins to stop, before the first group is stopped. A runnable that others wait for, such as a
   * cache, then ends their waits and continues until `signal` aborts, so that they can end before it. All other runnables can ignore it.
   */
  run(signal: AbortSignal, ending?: AbortSignal): Promise<void>;
  /** Group with which it starts and stops. Default `leaderElection`: only while this process is the leader. */
  readonly group?: GroupName | undefined;
  /** Resolves when later groups may start, for example when a cache has synced. Default: at once. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Runs before this process becomes the leader, so that it is fast once it does. */
  warmup?(signal: AbortSignal, ending?: AbortSignal): Promise<void>;
  /** Describes the runnable, for `Manager.describe`. Makes no requests, and starts nothing. */
  describe?(): RunnableDescription;
  /**
   * Returns its current state, for `Manager.inspect`; must be serialisable as JSON.
   *
   * @param detail requests more than a few numbers; passed only to the runnable being inspected
   */
  inspect?(detail?: InspectionDetail): object;
}

/** Description of a runnable, as far as it is known without running it. Absent members are empty. */
export interface RunnableDescription {
  readonly controllers?: readonly DescribedController[] | undefined;
  readonly webhooks?: readonly DescribedWebhook[] | undefined;
  readonly certificates?: DescribedCertificates | undefined;
  readonly caches?: readonly DescribedCache[] | undefined;
  readonly console?: DescribedConsole | undefined;
  /** Permissions in addition to those that follow from the other members. */
  readonly permissions?: readonly Permission[] | undefined;
}
