import type { Kind, KubeObject } from "@kubewright/apimachinery";

/**
 * Whether somebody should look: `Warning`, or the `Normal` course of things.
 *
 * @see kubernetes core/v1 EventTypeNormal, EventTypeWarning
 */
export type EventType = "Normal" | "Warning";

/** Which object an event is about. The wire form of upstream's `ObjectReference`. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  /** Which part of the object: `spec.containers{web}`. */
  fieldPath?: string;
}

/** An event of the core API, as on the wire. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  /** RFC 3339, whole seconds. */
  firstTimestamp?: string;
  lastTimestamp?: string;
  /** How often it happened. */
  count?: number;
  type?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** An event of `events.k8s.io/v1`, as on the wire. */
export interface EventsV1Event extends KubeObject {
  /** When it happened first; RFC 3339, microseconds. */
  eventTime: string;
  /** Absent: it happened once. */
  series?: { count: number; lastObservedTime: string };
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  /** A second object that had a part in it. */
  related?: ObjectReference;
  /** For people: at most 1 kB. */
  note?: string;
  type?: string;
}

const event = { version: "v1", kind: "Event", plural: "events", scope: "Namespaced" } as const;

/** The two kinds show the same stored objects; which one is written decides how repeats are told. */
export const coreEvents: Kind<CoreEvent> = { ...event, group: "" };
export const eventsV1: Kind<EventsV1Event> = { ...event, group: "events.k8s.io" };
