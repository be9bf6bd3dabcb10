import type { EventType, Referable } from "./event.ts";

/** An event to record. */
export interface ReportedEvent {
  /** Type of the event. Default `Normal`. */
  readonly type?: EventType | undefined;
  /** Reason for the event: one CamelCase word for programs, such as `ScalingReplicaSet`. */
  readonly reason: string;
  /** Text for users. `events.k8s.io` allows at most 1,024 bytes. A longer note is truncated and ends in `...`. */
  readonly note: string;
  /** Action that was taken, as one CamelCase word. Default: the reason. */
  readonly action?: string | undefined;
  /** A second, related object. */
  readonly related?: Referable | undefined;
  /** Annotations for the stored event. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Path of the part of the object to which the event refers, such as `spec.containers{web}`. */
  readonly fieldPath?: string | undefined;
}

/**
 * Records events about objects. `kubectl describe` shows these events to users. Recording never waits and never throws
 * an error. An event that cannot be written is logged and dropped.
 *
 * @see client-go tools/events EventRecorder
 */
export interface EventRecorder {
  event(regarding: Referable, event: ReportedEvent): void;
}

/** A recorder that discards all events. It is the default where a recorder is optional. */
export const silentRecorder: EventRecorder = { event: () => {} };
