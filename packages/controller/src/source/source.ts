import type { Kind, RESTMapper } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Request } from "../reconcile/request.ts";
import type { RequestQueue } from "../reconcile/request-queue.ts";

/** What a source is handed by its controller. */
export interface SourceContext<R = Request> {
  /** The controller's own queue. */
  readonly queue: Pick<RequestQueue<R>, "add">;
  readonly client: ReadWriter;
  readonly log: Logger;
  readonly clock: Clock;
  /** The controller's, for handlers. */
  readonly mapper?: RESTMapper | undefined;
  /** To be called once everything that was there at the start has been handed over. Until then no reconcile begins. */
  readonly synced: () => void;
}

/**
 * Where requests come from. A rejection ends the controller with that error.
 *
 * @see controller-runtime pkg/source Source
 */
export interface Source<R = Request> {
  /** For messages: `kind source: Deployment.apps`. */
  readonly description: string;
  /** Delivers until the signal aborts. Returning before `synced` was called counts as synced. */
  run(context: SourceContext<R>, signal: AbortSignal): Promise<void>;
  /** What it watches, and through which cache, where it is a kind: for descriptions. */
  readonly watched?: {
    readonly kind: Kind;
    readonly cache: unknown;
    /** Whether this program brings the definition of the kind, if it has one with it. Default: not said. */
    readonly isDefinedHere?: boolean | undefined;
  };
  /** True while events that it delivered are with its handler. Default: not known, which counts as false. */
  readonly isHandling?: boolean;
  /** Why it has not synced yet, as far as it knows: the last error of its watch. */
  readonly lastError?: unknown;
}
