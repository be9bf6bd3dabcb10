export { Controller } from "./controller/controller.ts";
export type { ControllerOptions, ControllerSettings } from "./controller/controller-options.ts";
export type { FailureRecord, ReconcileRecord, WriteRecord } from "./controller/history.ts";
export type { ControllerInspection, InspectionDetail, QueueRow } from "./controller/inspection.ts";
export type { ObjectEvent } from "./event/event.ts";
export {
  type Finalize,
  FinalizeError,
  type FinalizeResult,
  Finalizers,
  isFinalizeError,
} from "./finalizer/finalizers.ts";
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
} from "./handler/handlers.ts";
export type { Expectation, ExpectingCache, WriteExpectations } from "./own-writes/own-writes.ts";
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
} from "./predicate/predicates.ts";
export {
  type ControllerMetrics,
  type ControllerMetricsProvider,
  noMetrics,
  type ReconcileResult,
} from "./reconcile/controller-metrics.ts";
export { isTerminalError, TerminalError } from "./reconcile/errors.ts";
export { asReconciler, type ReconcileContext, type Reconciler } from "./reconcile/reconciler.ts";
export type { Cause, Request, Result } from "./reconcile/request.ts";
export {
  type AddOptions,
  firstComeFirstServed,
  type NewQueue,
  prioritizing,
  type RequestQueue,
  type RequestQueueOptions,
  type Taken,
  type WaitingRequest,
} from "./reconcile/request-queue.ts";
export {
  type ChannelSourceOptions,
  channelSource,
  type InformerHandler,
  type InformerProvider,
  type KindSourceOptions,
  kindSource,
  type SourceInformer,
} from "./source/event-sources.ts";
export { funcSource, NotSyncedError, type Source, type SourceContext } from "./source/source.ts";
