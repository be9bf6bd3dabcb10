import { type FieldError, fieldError, fieldPath, jsonEqual, validateQualifiedName } from "@kubewright/apimachinery";
import { immutable, messages } from "../../checks.ts";
import { unchanged } from "../../unchanged.ts";
import { type CoreEvent, inCoreForm, isNewForm, type NewEvent } from "./event-form.ts";

/** Maximum lengths in bytes. Upstream's messages mention characters, but its checks also count bytes. */
const longest = { reportingInstance: 128, action: 128, reason: 128, message: 1_024 } as const;

function namespaceErrors({ metadata, involvedObject, eventTime }: CoreEvent): FieldError[] {
  const own = metadata.namespace ?? "";
  const namespace = involvedObject?.namespace ?? "";
  const isHome = own === "default" || own === "" || (eventTime ? own === "kube-system" : false);
  const fits = namespace === "" ? isHome : eventTime ? true : own === namespace;
  return fits
    ? []
    : [fieldError.invalid(fieldPath("involvedObject", "namespace"), namespace, "does not match event.namespace")];
}

/**
 * Returns the errors in the event's reporter and in other fields that are required or limited in length only if the event has an
 * `eventTime`.
 */
function reporterErrors(event: CoreEvent, reporterField: string): FieldError[] {
  if (!event.eventTime) return [];
  const { reportingComponent = "" } = event;
  const tooLong = (field: keyof typeof longest): FieldError[] =>
    Buffer.byteLength(event[field] ?? "") > longest[field]
      ? [fieldError.invalid(field, "", `can have at most ${longest[field]} characters`)]
      : [];
  return [
    ...(reportingComponent === "" ? [fieldError.required(reporterField)] : []),
    ...messages(reportingComponent, validateQualifiedName(reportingComponent), fieldPath(reporterField)),
    ...(["reportingInstance", "action", "reason"] as const).flatMap((field) => [
      ...(event[field] ? [] : [fieldError.required(field)]),
      ...tooLong(field),
    ]),
    ...tooLong("message"),
  ];
}

/** Returns the errors that only events in `events.k8s.io` can have. */
function newFormErrors(event: CoreEvent): FieldError[] {
  const unset = (field: string, isSet: boolean): FieldError[] =>
    isSet ? [fieldError.invalid(field, "", "needs to be unset")] : [];
  return [
    ...(event.eventTime ? [] : [fieldError.required("eventTime")]),
    ...(event.type === "Normal" || event.type === "Warning"
      ? []
      : [fieldError.invalid("type", "", `has invalid value: ${event.type ?? ""}`)]),
    ...unset("firstTimestamp", Boolean(event.firstTimestamp)),
    ...unset("lastTimestamp", Boolean(event.lastTimestamp)),
    ...unset("count", Boolean(event.count)),
    ...unset("source", Boolean(event.source?.component || event.source?.host)),
  ];
}

/** Returns the errors in a new event. @see pkg/apis/core/validation ValidateEventCreate */
export function validateEvent(given: CoreEvent & NewEvent): FieldError[] {
  const event = inCoreForm(given);
  const isNew = isNewForm(given);
  return [...commonErrors(event, isNew), ...(isNew ? [...newFormErrors(event), ...seriesErrors(event)] : [])];
}

const commonErrors = (event: CoreEvent, isNew: boolean): FieldError[] => [
  ...namespaceErrors(event),
  ...reporterErrors(event, isNew ? "reportingController" : "reportingComponent"),
];

/** Returns the errors in a series, which must have at least two events. */
function seriesErrors({ series }: CoreEvent): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [fieldError.invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [fieldError.required("series.lastObservedTime")]),
  ];
}

const fixedFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingInstance",
] as const;

/** Returns the value of a field that is not set: an empty string for a string, because strings are never absent in Go. */
const emptyOf = (field: (typeof fixedFields)[number]): "" | undefined =>
  ["reason", "message", "type", "action", "reportingInstance"].includes(field) ? "" : undefined;

/**
 * Returns errors for forbidden changes to an event. In the core group, all fields may change; in `events.k8s.io`, only
 * the series.
 */
export function validateEventUpdate(given: CoreEvent & NewEvent, old: Readonly<CoreEvent & NewEvent>): FieldError[] {
  const event = inCoreForm(given);
  const before = inCoreForm(old);
  const legacy = commonErrors(event, isNewForm(given));
  if (!isNewForm(given)) return legacy;
  return [
    ...legacy,
    ...(jsonEqual(event.series ?? null, before.series ?? null) ? [] : seriesErrors(event)),
    ...fixedFields.flatMap((field) =>
      field === "involvedObject"
        ? unchanged(event[field] ?? {}, before[field], fieldPath(field))
        : immutable(event[field] ?? emptyOf(field), before[field] ?? emptyOf(field), fieldPath(field)),
    ),
    ...immutable(event.reportingComponent, before.reportingComponent, fieldPath("reportingController")),
  ];
}
