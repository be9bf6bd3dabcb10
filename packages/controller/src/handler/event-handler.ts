import type { KubeObject, RESTMapper } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { ObjectEvent } from "../event/event.ts";
import type { Request } from "../reconcile/request.ts";

/**
 * Priority and delay of a request.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface EnqueueOptions {
  /** Priority; higher comes first. Default 0; for objects that existed at the start, and for resyncs, {@link lowPriority}. */
  readonly priority?: number;
  /** Minimum delay in milliseconds. Default 0. */
  readonly afterMs?: number;
}

/** Priority of requests that are not caused by a change; they are reconciled when there is no other work. */
export const lowPriority = -100;

/**
 * Queues a request for reconciling, with the event as one of its causes. A request that is queued several times before it is reconciled is
 * reconciled once.
 */
export type Enqueue<R = Request> = (request: R, options?: EnqueueOptions) => void;

/** Context of a handler call. `signal` aborts when the controller stops. */
export interface HandlerContext {
  /** Client that reads from the cache. */
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Resources and scopes of kinds. Absent if the controller has no mapper. */
  readonly mapper?: RESTMapper | undefined;
}

/**
 * Queues the requests for an event. Events of one source are handled one after the other, in order.
 *
 * No event blocks others: if a handler throws or rejects, a warning names the event, and the event is retried a few times later, or right
 * before the next event of the same object; if a handler takes longer than a second, the next events are handled concurrently.
 *
 * @see controller-runtime pkg/handler EventHandler
 */
export type EventHandler<T extends KubeObject = KubeObject, R = Request> = (
  event: ObjectEvent<T>,
  enqueue: Enqueue<R>,
  context: HandlerContext,
) => void | Promise<void>;
