import { type DeepReadonly, ignoreNotFound, type Kind, type KubeObject, type Stored } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { Cause, Request, Result } from "./request.ts";

/** Context passed to a reconciler. */
export interface ReconcileContext {
  /**
   * Client that reads from the cache and writes to the API server. The next reconcile of the same request sees what
   * this one wrote. Within this reconcile, reads may not show the writes yet, so use the objects that the writes
   * returned.
   */
  readonly client: ReadWriter;
  /** Logger that adds the controller, the request and the reconcile's ID. */
  readonly log: Logger;
  /** Aborts when the controller stops or the reconcile times out. */
  readonly signal: AbortSignal;
  /**
   * Reasons why this request was queued, oldest first. Their number is limited. When requests are merged, so are their
   * causes.
   */
  readonly causes: readonly Cause[];
  /** Writes Kubernetes Events in the controller's name. */
  readonly recorder: EventRecorder;
  /** Unique ID of this call. */
  readonly reconcileID: string;
  /**
   * The controller's clock. Read the time from this clock, so that a replay of a recorded reconcile sees the recorded
   * time.
   */
  readonly clock: Clock;
  /**
   * Calls a function whose result does not come from the cluster, such as a request to another API or a random value,
   * and returns the result. A recording of the reconcile contains the result, and a replay returns it without calling
   * the function:
   *
   * ```ts
   * const quota = await observe("quota", async () => (await fetch(url)).json());
   * ```
   *
   * @param name name of the observation, which should not vary. Several observations may have the same name.
   * @param ask returns JSON values: objects, arrays, strings, numbers, booleans, `null` or `undefined`
   * @throws the error of the function
   */
  observe<T>(name: string, ask: () => T | Promise<T>): Promise<T>;
}

/**
 * Brings the cluster into the state that an object specifies. A reconciler receives the object's key, not the change.
 * It reads the current state and makes whatever changes are missing, so extra calls are harmless. The same request is
 * never reconciled concurrently with itself.
 *
 * If the reconciler rejects, the request is queued again with increasing delays, unless the error is a `TerminalError`.
 *
 * @see controller-runtime pkg/reconcile Reconciler
 */
export type Reconciler<R = Request> = (
  request: R,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: most reconcilers return nothing
) => Promise<Result | void> | Result | void;

/**
 * Creates a reconciler from a function that receives objects instead of keys. The reconciler reads the object first,
 * and does nothing if it does not exist. The function also receives objects that are being deleted, because they may
 * have your finalizers.
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
  const reconciler: Reconciler = async (request, context) => {
    const object = await context.client.get(kind, request, { signal: context.signal }).catch(ignoreNotFound);
    return object ? reconcile(object, context) : undefined;
  };
  return Object.defineProperty(reconciler, authorsReconcile, { value: reconcile });
}

/** Key of the author's function in the reconciler that wraps it, for debuggers. */
const authorsReconcile = Symbol.for("kubewright.reconcile");
