export type { FieldChange, ObjectChanges } from "./changes.ts";
export { Controller } from "./controller.ts";
export type { ControllerDescription } from "./controller-description.ts";
export {
  type ControllerMetrics,
  noMetrics,
} from "./controller-metrics.ts";
export type { CommonControllerOptions, ControllerOptions } from "./controller-options.ts";
export { isTerminalError, TerminalError } from "./errors.ts";
export type { ObjectEvent } from "./event.ts";
export {
  type ChannelSourceOptions,
  channelSource,
  type InformerHandler,
  type InformerProvider,
  type KindSourceOptions,
  kindSource,
  type SourceInformer,
} from "./event-sources.ts";
export {
  type Finalize,
  FinalizeError,
  type FinalizeResult,
  Finalizers,
  isFinalizeError,
} from "./finalizers.ts";
export {
  type Enqueue,
  type EnqueueOptions,
  type EventHandler,
  enqueueRequestForObject,
  enqueueRequestForOwner,
  enqueueRequestsFromMapFunc,
  type ForOwnerOptions,
  type HandlerContext,
  lowPriority,
  type MapFunc,
} from "./handlers.ts";
export type { FailureRecord, KeyRecord, ReconcileRecord, RecordedCause } from "./history.ts";
export type { ControllerInspection, ControllerInspectionDetail, KeyInspection, QueueRow } from "./inspection.ts";
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelSelectorMatches,
  not,
  objectMatches,
  or,
  type Predicate,
  resourceVersionChanged,
} from "./predicates.ts";
export type { ExpectedWrite, ExpectedWrites, ExpectingCache } from "./read-your-own-writes.ts";
export { asReconciler, type ReconcileContext, type Reconciler } from "./reconciler.ts";
export type { ReconcileRecorder, ReconcileRecording, RecordedCall, RecordedOutcome } from "./recording.ts";
export type { Cause, Request, Result } from "./request.ts";
export {
  type AddOptions,
  firstComeFirstServed,
  type NewQueue,
  type PrioritizedRequest,
  prioritizing,
  type RequestQueue,
  type RequestQueueOptions,
  type WaitingRequest,
} from "./request-queue.ts";
export type { HeldTerm, Sharding } from "./sharded-work.ts";
export {
  type EventHistory,
  funcSource,
  isSourceNotSyncedError,
  type Source,
  type SourceContext,
  SourceNotSyncedError,
} from "./source.ts";
