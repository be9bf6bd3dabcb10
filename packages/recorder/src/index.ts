export type { CoreEvent, EventsV1Event, EventType, ObjectReference } from "./event.ts";
export { EventBroadcaster, type EventBroadcasterOptions } from "./event-broadcaster.ts";
export { type CorrelatorOptions, EventCorrelator } from "./event-correlator.ts";
export { eventFieldSelector, type Regarding } from "./event-field-selector.ts";
export { type EventRecorder, type ReportedEvent, silentRecorder } from "./event-recorder.ts";
export type { EventSink } from "./event-sink.ts";
export { type Referable, referenceTo } from "./object-reference.ts";
