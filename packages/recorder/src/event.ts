import type { Kind, KubeObject } from "@kubewright/apimachinery";

/**
 * Type of an event: `Warning` if it needs attention, otherwise `Normal`.
 *
 * @see kubernetes core/v1 EventTypeNormal, EventTypeWarning
 */
export type EventType = "Normal" | "Warning";

/** Reference to the object of an event. The wire form of upstream's `ObjectReference`. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  /** Part of the object: `spec.containers{web}`. */
  fieldPath?: string;
}

/** An event of the core API in its wire form. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  /** RFC 3339, whole seconds. */
  firstTimestamp?: string;
  lastTimestamp?: string;
  /** Number of occurrences. */
  count?: number;
  type?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** An event of `events.k8s.io/v1` in its wire form. */
export interface EventsV1Event extends KubeObject {
  /** Time of the first occurrence; RFC 3339, microseconds. */
  eventTime: string;
  /** Absent if it occurred once. */
  series?: { count: number; lastObservedTime: string };
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  /** A second, related object. */
  related?: ObjectReference;
  /** Text for users, at most 1 kB. */
  note?: string;
  type?: string;
}

const event = { version: "v1", kind: "Event", plural: "events", scope: "Namespaced" } as const;

/** The two kinds show the same stored objects; the kind that is written determines how repeats are represented. */
export const coreEvents: Kind<CoreEvent> = { ...event, group: "" };
export const eventsV1: Kind<EventsV1Event> = { ...event, group: "events.k8s.io" };
