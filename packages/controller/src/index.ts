export type { Cause } from "./cause.ts";
export { Controller } from "./controller.ts";
export {
  type ControllerMetrics,
  type ControllerMetricsProvider,
  noMetrics,
  type ReconcileResult,
} from "./controller-metrics.ts";
export type { ControllerOptions, ControllerSettings } from "./controller-options.ts";
export {
  type Enqueue,
  type EnqueueOptions,
  type EventHandler,
  type HandlerContext,
  lowPriority,
} from "./handler/event-handler.ts";
export { enqueueRequestForObject } from "./handler/for-object.ts";
export { enqueueRequestForOwner, type ForOwnerOptions } from "./handler/for-owner.ts";
export { enqueueRequestsFromMapFunc, type MapFunc } from "./handler/from-map.ts";
export type { ObjectEvent } from "./object-event.ts";
export type { Expectation, ExpectingCache, WriteExpectations } from "./own-writes/expectations.ts";
export {
  annotationChanged,
  generationChanged,
  labelChanged,
  resourceVersionChanged,
} from "./predicate/changed.ts";
export { and, not, or, type Predicate } from "./predicate/predicate.ts";
export { labelSelectorMatches, objectMatches } from "./predicate/selects.ts";
export { asReconciler, type ReconcileContext, type Reconciler } from "./reconciler.ts";
export type { Request, Result } from "./request.ts";
export type { AddOptions, RequestQueue } from "./request-queue.ts";
export { type ChannelSourceOptions, channelSource } from "./source/channel-source.ts";
export { funcSource } from "./source/func-source.ts";
export {
  type InformerHandler,
  type InformerProvider,
  type KindSourceOptions,
  kindSource,
  type SourceInformer,
} from "./source/kind-source.ts";
export type { Source, SourceContext } from "./source/source.ts";
export { isTerminalError, TerminalError } from "./terminal-error.ts";
