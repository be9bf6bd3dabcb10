export {
  type CoreEvent,
  type EventsV1Event,
  type EventType,
  eventFieldSelector,
  type Referable,
  type Regarding,
  referenceTo,
} from "./event.ts";
export { EventBroadcaster, type EventBroadcasterOptions } from "./event-broadcaster.ts";
export { type Correlated, type CorrelatorOptions, EventCorrelator } from "./event-correlator.ts";
export { type EventRecorder, type ReportedEvent, silentRecorder } from "./event-recorder.ts";
export type { EventSink } from "./event-style.ts";
