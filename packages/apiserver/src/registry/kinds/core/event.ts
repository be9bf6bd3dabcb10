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

/** An event in the form of the core group, in which it is stored. */
interface Event extends KubeObject {
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
      (event: Event) => subject(event)[field] ?? "",
    ]),
  );

/** @see pkg/registry/core/event strategy.go */
export const eventStrategy = defineStrategy<Event>({
  allowCreateOnUpdate: true,
  defaultGarbageCollectionPolicy: "unsupported",
  validate: (event) => [
    ...namespaceErrors(event),
    ...(event.metadata.namespace
      ? messages(event.metadata.namespace, isDns1123Subdomain(event.metadata.namespace), fieldPath("namespace"))
      : []),
    ...newEventErrors(event),
  ],
  validateUpdate: (event, old) => [
    ...namespaceErrors(event),
    ...(event.eventTime || old.eventTime
      ? [
          ...immutable(event.involvedObject, old.involvedObject, fieldPath("involvedObject")),
          ...immutable(event.reason, old.reason, fieldPath("reason")),
        ]
      : []),
  ],
  columns: [
    column("Last Seen", lastSeen),
    column("Type", ({ type }) => type ?? ""),
    column("Reason", ({ reason }) => reason ?? ""),
    column("Object", objectCell),
    column("Subobject", (event) => subject(event).fieldPath ?? "", { wide: true }),
    column("Source", sourceCell, { wide: true }),
    column("Message", ({ message }) => (message ?? "").trim()),
    column("First Seen", firstSeen, { wide: true }),
    column("Count", ({ series, count }) => (series ? (series.count ?? 0) : count || 1), { wide: true }),
    column("Name", ({ metadata }) => metadata.name, { wide: true }),
  ],
  selectableFields: {
    ...selectable("involvedObject"),
    ...selectable("regarding"),
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? "",
    reportingController: ({ reportingComponent }) => reportingComponent ?? "",
    source: ({ source, reportingComponent }) => source?.component || reportingComponent || "",
    type: ({ type }) => type ?? "",
  },
});
