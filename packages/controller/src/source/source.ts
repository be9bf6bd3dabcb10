import type { Kind, RESTMapper } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Request } from "../reconcile/request.ts";
import type { RequestQueue } from "../reconcile/request-queue.ts";

/** Context that a controller passes to a source. */
export interface SourceContext<R = Request> {
  /** The controller's queue. */
  readonly queue: Pick<RequestQueue<R>, "add">;
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly clock: Clock;
  /** The controller's mapper, for handlers. */
  readonly mapper?: RESTMapper | undefined;
  /** Must be called once all objects that existed at the start have been delivered. Until then no reconcile begins. */
  readonly synced: () => void;
}

/**
 * Delivers requests. A rejection ends the controller with that error.
 *
 * @see controller-runtime pkg/source Source
 */
export interface Source<R = Request> {
  /** Description for messages: `kind source: Deployment.apps`. */
  readonly description: string;
  /** Delivers until the signal aborts. Returning before `synced` was called counts as synced. */
  run(context: SourceContext<R>, signal: AbortSignal): Promise<void>;
  /** The watched kind and its cache, if it watches a kind; for descriptions. */
  readonly watched?: {
    readonly kind: Kind;
    readonly cache: unknown;
    /** True if this program provides the definition of the kind. Default: unspecified. */
    readonly isDefinedHere?: boolean | undefined;
  };
  /** True while its handler is processing events. Default: unknown, which counts as false. */
  readonly isHandling?: boolean;
  /** Reason why it has not synced, if known: the last error of its watch. */
  readonly lastError?: unknown;
}
