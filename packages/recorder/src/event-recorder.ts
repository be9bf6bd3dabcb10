import type { EventType } from "./event.ts";
import type { Referable } from "./object-reference.ts";

/** What happened to an object. */
export interface ReportedEvent {
  /** Default `Normal`. */
  readonly type?: EventType | undefined;
  /** Why, in one CamelCase word that programs may match: `ScalingReplicaSet`. */
  readonly reason: string;
  /** For people. `events.k8s.io` holds at most 1,024 bytes: a longer note is cut there and ends in `...`. */
  readonly note: string;
  /** What was done, in one CamelCase word. Default: the reason. */
  readonly action?: string | undefined;
  /** A second object that had a part in it. */
  readonly related?: Referable | undefined;
  /** Kept on the stored event. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Which part of the object it is about: `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/**
 * Tells users what happened to their objects, where `kubectl describe` shows it. It never waits and never throws: an event that
 * cannot be written is logged and dropped.
 *
 * @see client-go tools/events EventRecorder
 */
export interface EventRecorder {
  event(regarding: Referable, event: ReportedEvent): void;
}

/** Tells nobody. The default where a recorder is optional. */
export const silentRecorder: EventRecorder = { event: () => {} };
