import { type DeepReadonly, ignoreNotFound, type Kind, type KubeObject, type Stored } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { Cause } from "./cause.ts";
import type { Request, Result } from "./request.ts";

/** What a reconciler is handed beside the request. */
export interface ReconcileContext {
  /**
   * Reads from the cache, writes to the API server. What was written with it, the next reconcile of the same request reads; this one
   * may not yet, and has what the write returned.
   */
  readonly client: ReadWriter;
  /** Its lines carry the controller, the request and the reconcile's id. */
  readonly log: Logger;
  /** Aborts when the controller stops or the reconcile's time is up. */
  readonly signal: AbortSignal;
  /** Why this request was queued, oldest first; bounded, and merged where requests were. */
  readonly causes: readonly Cause[];
  /** Writes Kubernetes Events in the controller's name. */
  readonly recorder: EventRecorder;
  /** Unique to this one call. */
  readonly reconcileID: string;
}

/**
 * Makes the world as an object says it should be. It is told which object, never what changed: it reads what there is and does
 * what is missing, so that it may be called too often but never too seldom. One request is never worked on twice at a time.
 *
 * Rejecting queues the request again with growing delays, unless with a `TerminalError`.
 *
 * @see controller-runtime pkg/reconcile Reconciler
 */
export type Reconciler<R = Request> = (
  request: R,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that returns nothing is the usual one
) => Promise<Result | void> | Result | void;

/**
 * A reconciler of objects rather than keys: reads the object first, and does nothing if it is gone. Objects that are being deleted
 * are handed over: their finalizers may be yours.
 *
 * @see controller-runtime pkg/reconcile AsReconciler
 */
export function asReconciler<T extends KubeObject>(
  kind: Kind<T>,
  reconcile: (
    object: Stored<DeepReadonly<T>>,
    context: ReconcileContext,
    // biome-ignore lint/suspicious/noConfusingVoidType: as above
  ) => Promise<Result | void> | Result | void,
): Reconciler {
  return async (request, context) => {
    const object = await context.client.get(kind, request, { signal: context.signal }).catch(ignoreNotFound);
    return object ? reconcile(object, context) : undefined;
  };
}
