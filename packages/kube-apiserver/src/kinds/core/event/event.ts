import type { KindStrategy } from "@kubewright/apiserver/registry";
import { ageCell } from "@kubewright/apiserver/registry";
import { column } from "../../columns.ts";
import { defineStrategy } from "../../define-strategy.ts";
import { type CoreEvent, inCoreForm, isNewForm, type NewEvent, type ObjectReference } from "./event-form.ts";
import { validateEvent, validateEventUpdate } from "./event-validation.ts";

type Event = CoreEvent & NewEvent;

const subject = (event: Event): ObjectReference => inCoreForm(event).involvedObject ?? {};

function sourceCell(event: Event): string {
  const { source, reportingComponent, reportingInstance } = inCoreForm(event);
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance || "";
  return instance ? `${component}, ${instance}` : component;
}

function firstSeen(event: Event, nowMs: number): string {
  const { firstTimestamp, eventTime } = inCoreForm(event);
  return ageCell(firstTimestamp ?? eventTime, nowMs);
}

function lastSeen(event: Event, nowMs: number): string {
  const { series, lastTimestamp } = inCoreForm(event);
  if (series) return ageCell(series.lastObservedTime, nowMs);
  return lastTimestamp ? ageCell(lastTimestamp, nowMs) : firstSeen(event, nowMs);
}

function objectCell(event: Event): string {
  const { kind = "", name } = subject(event);
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
}

function countCell(event: Event): number {
  const { series, count } = inCoreForm(event);
  return series ? (series.count ?? 0) : count || 1;
}

/** Sets the values that an event always contains. */
function applyDefaults(event: Event): void {
  event.eventTime ??= null;
  event.reportingInstance ??= "";
  if (isNewForm(event)) {
    event.deprecatedFirstTimestamp ??= null;
    event.deprecatedLastTimestamp ??= null;
    event.deprecatedSource ??= {};
    event.reportingController ??= "";
  } else {
    event.firstTimestamp ??= null;
    event.lastTimestamp ??= null;
    event.source ??= {};
    event.reportingComponent ??= "";
  }
}

const selectable = (prefix: string): Record<string, (event: Event) => string> =>
  Object.fromEntries(
    (["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const).map((field) => [
      `${prefix}.${field}`,
      (event: Event) => subject(event)[field] ?? "",
    ]),
  );

const reporter = (event: Event): string => inCoreForm(event).reportingComponent ?? "";

const ofBothForms: KindStrategy<Event> = {
  allowCreateOnUpdate: true,
  defaultGarbageCollectionPolicy: "unsupported",
  applyDefaults,
  validate: validateEvent,
  validateUpdate: validateEventUpdate,
  columns: [
    column("Last Seen", lastSeen),
    column("Type", ({ type }) => type ?? ""),
    column("Reason", ({ reason }) => reason ?? ""),
    column("Object", objectCell),
    column("Subobject", (event) => subject(event).fieldPath ?? "", { wide: true }),
    column("Source", sourceCell, { wide: true }),
    column("Message", (event) => (inCoreForm(event).message ?? "").trim()),
    column("First Seen", firstSeen, { wide: true }),
    column("Count", countCell, { wide: true }),
    { ...column<Event>("Name", ({ metadata }) => metadata.name, { wide: true }), format: "name" },
  ],
};

const reason = ({ reason: text }: Event): string => text ?? "";
const type = ({ type: text }: Event): string => text ?? "";

/**
 * Strategy for events in the core group. Events are stored as received.
 *
 * @see pkg/registry/core/event strategy.go
 */
export const eventStrategy = defineStrategy<Event>({
  ...ofBothForms,
  nameRule: "pathSegment",
  selectableFields: {
    ...selectable("involvedObject"),
    reason,
    reportingComponent: reporter,
    source: (event) => inCoreForm(event).source?.component || reporter(event),
    type,
  },
});

/** Strategy for events in `events.k8s.io`, whose columns have the same content but different names. */
export const newEventStrategy = defineStrategy<Event>({
  ...ofBothForms,
  selectableFields: { ...selectable("regarding"), reason, reportingController: reporter, type },
});
