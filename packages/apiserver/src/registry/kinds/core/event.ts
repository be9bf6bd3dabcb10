import {
  type FieldError,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageCell } from "../../duration.ts";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** An event: in the form of the core group, in which it is stored, or with the names that events.k8s.io has for the same. */
interface Event extends KubeObject {
  regarding?: ObjectReference;
  note?: string;
  reportingController?: string;
  deprecatedSource?: { component?: string; host?: string };
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  type?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  count?: number;
  series?: { count?: number; lastObservedTime?: string };
  action?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** The event in the names of the core group, whichever form it came in. */
function inCoreForm(event: Event): Event {
  const {
    regarding,
    note,
    reportingController,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    ...rest
  } = event;
  return {
    ...rest,
    ...(regarding === undefined ? {} : { involvedObject: regarding }),
    ...(note === undefined ? {} : { message: note }),
    ...(reportingController === undefined ? {} : { reportingComponent: reportingController }),
    ...(deprecatedSource === undefined ? {} : { source: deprecatedSource }),
    ...(deprecatedFirstTimestamp === undefined ? {} : { firstTimestamp: deprecatedFirstTimestamp }),
    ...(deprecatedLastTimestamp === undefined ? {} : { lastTimestamp: deprecatedLastTimestamp }),
    ...(deprecatedCount === undefined ? {} : { count: deprecatedCount }),
  };
}

/** A function of an event that reads the names of the core group, for events in either form. */
const ofEither =
  <A extends readonly unknown[], R>(read: (event: Event, ...rest: A) => R) =>
  (event: Event, ...rest: A): R =>
    read(inCoreForm(event), ...rest);

const subject = (event: Event): ObjectReference => event.involvedObject ?? {};

function sourceCell({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance || "";
  return instance ? `${component}, ${instance}` : component;
}

const firstSeen = (event: Event, nowMs: number): string => ageCell(event.firstTimestamp ?? event.eventTime, nowMs);

function lastSeen(event: Event, nowMs: number): string {
  if (event.series) return ageCell(event.series.lastObservedTime, nowMs);
  return event.lastTimestamp ? ageCell(event.lastTimestamp, nowMs) : firstSeen(event, nowMs);
}

function objectCell(event: Event): string {
  const { kind = "", name } = subject(event);
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
}

function namespaceErrors(event: Event): FieldError[] {
  const path = fieldPath("involvedObject", "namespace");
  const own = event.metadata.namespace ?? "";
  const { namespace = "" } = subject(event);
  if (namespace === "") {
    return own === "default" || own === ""
      ? []
      : [fieldError.invalid(path, namespace, "does not match event.namespace")];
  }
  return own === namespace ? [] : [fieldError.invalid(path, namespace, "does not match event.namespace")];
}

/** Events with `eventTime` are of the newer sort and must say more. */
function newEventErrors(event: Event): FieldError[] {
  if (!event.eventTime) return [];
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", type = "" } = event;
  return [
    ...(reportingComponent === ""
      ? [fieldError.required("reportingController")]
      : messages(reportingComponent, validateQualifiedName(reportingComponent), fieldPath("reportingController"))),
    ...(reportingInstance === "" ? [fieldError.required("reportingInstance")] : []),
    ...(action === "" ? [fieldError.required("action")] : []),
    ...(reason === "" ? [fieldError.required("reason")] : []),
    ...(type === "Normal" || type === "Warning" ? [] : [fieldError.invalid("type", type, "")]),
  ];
}

const selectable = (prefix: string): Record<string, (event: Event) => string> =>
  Object.fromEntries(
    (["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const).map((field) => [
      `${prefix}.${field}`,
      ofEither((event) => subject(event)[field] ?? ""),
    ]),
  );

/** @see pkg/registry/core/event strategy.go */
export const eventStrategy = defineStrategy<Event>({
  allowCreateOnUpdate: true,
  defaultGarbageCollectionPolicy: "unsupported",
  validate: ofEither((event) => [
    ...namespaceErrors(event),
    ...(event.metadata.namespace
      ? messages(event.metadata.namespace, isDns1123Subdomain(event.metadata.namespace), fieldPath("namespace"))
      : []),
    ...newEventErrors(event),
  ]),
  validateUpdate: (updated, stored) => {
    const [event, old] = [inCoreForm(updated), inCoreForm(stored)];
    return [
      ...namespaceErrors(event),
      ...(event.eventTime || old.eventTime
        ? [
            ...immutable(event.involvedObject, old.involvedObject, fieldPath("involvedObject")),
            ...immutable(event.reason, old.reason, fieldPath("reason")),
          ]
        : []),
    ];
  },
  columns: [
    column("Last Seen", ofEither(lastSeen)),
    column(
      "Type",
      ofEither(({ type }) => type ?? ""),
    ),
    column(
      "Reason",
      ofEither(({ reason }) => reason ?? ""),
    ),
    column("Object", ofEither(objectCell)),
    column(
      "Subobject",
      ofEither((event) => subject(event).fieldPath ?? ""),
      { wide: true },
    ),
    column("Source", ofEither(sourceCell), { wide: true }),
    column(
      "Message",
      ofEither(({ message }) => (message ?? "").trim()),
    ),
    column("First Seen", ofEither(firstSeen), { wide: true }),
    column(
      "Count",
      ofEither(({ series, count }) => (series ? (series.count ?? 0) : count || 1)),
      { wide: true },
    ),
    column(
      "Name",
      ofEither(({ metadata }) => metadata.name),
      { wide: true },
    ),
  ],
  selectableFields: {
    ...selectable("involvedObject"),
    ...selectable("regarding"),
    reason: ofEither(({ reason }) => reason ?? ""),
    reportingComponent: ofEither(({ reportingComponent }) => reportingComponent ?? ""),
    reportingController: ofEither(({ reportingComponent }) => reportingComponent ?? ""),
    source: ofEither(({ source, reportingComponent }) => source?.component || reportingComponent || ""),
    type: ofEither(({ type }) => type ?? ""),
  },
});
