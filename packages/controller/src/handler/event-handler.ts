import type { KubeObject } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { ObjectEvent } from "../event/object-event.ts";
import type { Request } from "../reconcile/request.ts";

export interface EnqueueOptions {
  /** Higher comes first. Default 0; for what was there at the start, and for resyncs, {@link lowPriority}. */
  readonly priority?: number;
  readonly afterMs?: number;
}

/** What is not news is worked on when there is nothing new to do. */
export const lowPriority = -100;

export type Enqueue<R = Request> = (request: R, options?: EnqueueOptions) => void;

export interface HandlerContext {
  /** Reads from the cache. */
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly signal: AbortSignal;
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
