import type { EventType, Referable } from "./event.ts";

/** An event to record. */
export interface ReportedEvent {
  /** Default `Normal`. */
  readonly type?: EventType | undefined;
  /** Reason, one CamelCase word for use by programs: `ScalingReplicaSet`. */
  readonly reason: string;
  /** Text for users. `events.k8s.io` allows at most 1,024 bytes: a longer note is truncated and ends in `...`. */
  readonly note: string;
  /** Action, one CamelCase word. Default: the reason. */
  readonly action?: string | undefined;
  /** A second, related object. */
  readonly related?: Referable | undefined;
  /** Annotations of the stored event. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Part of the object that the event refers to: `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/**
 * Records events about objects, which `kubectl describe` shows to users. It never waits and never throws: an event that cannot be written
 * is logged and dropped.
 *
 * @see client-go tools/events EventRecorder
 */
export interface EventRecorder {
  event(regarding: Referable, event: ReportedEvent): void;
}

/** A recorder that discards events. The default where a recorder is optional. */
export const silentRecorder: EventRecorder = { event: () => {} };
