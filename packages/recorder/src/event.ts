import type { DeepReadonly, Kind, KubeObject } from "@kubewright/apimachinery";
import type { ObjectReference } from "@kubewright/client/kinds";

/**
 * Type of an event: `Warning` if it needs attention, otherwise `Normal`.
 *
 * @see kubernetes core/v1 EventTypeNormal, EventTypeWarning
 */
export type EventType = "Normal" | "Warning";

/** An event of the core API, in the format of the API. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  /** Time of the first occurrence, in RFC 3339 format with whole seconds. The same applies to `lastTimestamp`. */
  firstTimestamp?: string;
  lastTimestamp?: string;
  /** Number of occurrences. */
  count?: number;
  type?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** An event of `events.k8s.io/v1`, in the format of the API. */
export interface EventsV1Event extends KubeObject {
  /** Time of the first occurrence, in RFC 3339 with microseconds. */
  eventTime: string;
  /** Number of occurrences, and time of the last one. Absent if the event has occurred only once. */
  series?: { count: number; lastObservedTime: string };
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  /** A second, related object. */
  related?: ObjectReference;
  /** Text for users, with at most 1 kB. */
  note?: string;
  type?: string;
}

/** An object to which an event can refer: any object that contains its `apiVersion` and `kind`, including objects from a cache. */
export type Referable = DeepReadonly<Pick<KubeObject, "apiVersion" | "kind" | "metadata">>;

/**
 * Returns a reference to an object, for use in an event.
 *
 * @throws {Error} if the object has no apiVersion, kind or name
 * @see client-go tools/reference GetReference
 */
export function referenceTo(object: Referable, fieldPath?: string): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  if (!apiVersion || !kind) throw new Error("cannot refer to an object without apiVersion and kind");
  if (!metadata?.name) throw new Error(`cannot refer to a ${kind} without a name`);
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    ...(metadata.uid ? { uid: metadata.uid } : {}),
    ...(metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}

const event = { version: "v1", kind: "Event", plural: "events", scope: "Namespaced" } as const;

/**
 * The core API's Event kind. This kind and {@link eventsV1} refer to the same stored objects; the kind used to write an
 * event determines how repeated events are represented.
 */
export const coreEvents: Kind<CoreEvent> = { ...event, group: "" };
export const eventsV1: Kind<EventsV1Event> = { ...event, group: "events.k8s.io" };

/** A reference to the object that an event is about. Empty fields are ignored, so the reference may be partial. */
export interface Regarding {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

const prefixes: ReadonlyMap<string, string> = new Map([
  ["events.k8s.io/v1", "regarding"],
  ["events.k8s.io/v1beta1", "regarding"],
  ["v1", "involvedObject"],
]);

/**
 * Returns a field selector for the events about an object, to list or watch events in the given version, as in
 * `client.list(Event, { fields: eventFieldSelector("v1", { kind: "Pod", name: "web-0" }) })`.
 *
 * @throws {Error} if events do not exist in that version
 * @see client-go tools/events GetFieldSelector
 */
export function eventFieldSelector(apiVersion: string, regarding: Regarding): Readonly<Record<string, string>> {
  const prefix = prefixes.get(apiVersion);
  if (!prefix) throw new Error(`cannot select events: unknown version ${apiVersion}`);
  const { name, kind, apiVersion: of, uid } = regarding;
  const parts = Object.entries({ name, kind, apiVersion: of, uid });
  return Object.fromEntries(parts.flatMap(([part, value]) => (value ? [[`${prefix}.${part}`, value]] : [])));
}
