import { type DeepReadonly, ignoreNotFound, type Kind, type KubeObject, type Stored } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { Cause, Request, Result } from "./request.ts";

/** Context of a reconcile. */
export interface ReconcileContext {
  /**
   * Client that reads from the cache and writes to the API server. The next reconcile of the same request reads what this one wrote; in
   * this reconcile, reads may not show it yet, so use the objects that the writes returned.
   */
  readonly client: ReadWriter;
  /** Logger that adds the controller, the request and the reconcile's ID. */
  readonly log: Logger;
  /** Aborts when the controller stops or the reconcile's timeout has passed. */
  readonly signal: AbortSignal;
  /** Reasons why this request was queued, oldest first; limited in number, and merged when requests are merged. */
  readonly causes: readonly Cause[];
  /** Writes Kubernetes Events in the controller's name. */
  readonly recorder: EventRecorder;
  /** ID of this call, unique. */
  readonly reconcileID: string;
}

/**
 * Brings the cluster to the state that an object specifies. It receives the object's key, never the change: it reads the current state and
 * makes the missing changes, so additional calls are harmless. The same request is never reconciled twice at a time.
 *
 * A rejection queues the request again with growing delays, unless the error is a `TerminalError`.
 *
 * @see controller-runtime pkg/reconcile Reconciler
 */
export type Reconciler<R = Request> = (
  request: R,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: most reconcilers return nothing
) => Promise<Result | void> | Result | void;

/**
 * Creates a reconciler from a function that receives objects instead of keys. The reconciler reads the object first and does nothing if it
 * does not exist. Objects that are being deleted are passed on, since they may have your finalizers.
 *
 * @see controller-runtime pkg/reconcile AsReconciler
 *
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
