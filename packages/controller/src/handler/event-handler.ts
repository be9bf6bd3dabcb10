import type { KubeObject, RESTMapper } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { ObjectEvent } from "../event/object-event.ts";
import type { Request } from "../reconcile/request.ts";

/**
 * When a request is worked on, compared with others.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface EnqueueOptions {
  /** Higher comes first. Default 0; for what was there at the start, and for resyncs, {@link lowPriority}. */
  readonly priority?: number;
  /** Not before so many milliseconds have passed. Default 0. */
  readonly afterMs?: number;
}

/** What is not news is worked on when there is nothing new to do. */
export const lowPriority = -100;

/**
 * Asks for a reconcile of a request, with the event as one of its causes. A request that is asked for several times before it is worked
 * on is worked on once.
 */
export type Enqueue<R = Request> = (request: R, options?: EnqueueOptions) => void;

/** What a handler may use beside the event. `signal` aborts when its controller stops. */
export interface HandlerContext {
  /** Reads from the cache. */
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Where kinds are served, and whether they are in namespaces. Absent where the controller was given none. */
  readonly mapper?: RESTMapper | undefined;
}

/**
 * Says which requests an event asks for. Events of one source are handled one after the other, in order.
 *
 * No event holds up others: one whose handler throws or rejects is named in a warning and handed over again a few times, later, or
 * right before the next event of the same object; a handler that takes longer than a second goes on beside the next ones.
 *
 * @see controller-runtime pkg/handler EventHandler
 */
export type EventHandler<T extends KubeObject = KubeObject, R = Request> = (
  event: ObjectEvent<T>,
  enqueue: Enqueue<R>,
  context: HandlerContext,
) => void | Promise<void>;
