import type { CachedReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ByteLimiter } from "./byte-limiter.ts";
import type { FailureLog } from "./failure-log.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** Parts of the HTTP request that handlers can read. */
export interface HttpRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers, keyed by lower-case name. The value of a repeated header may be a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request, with its body and connection. */
export interface HttpCall extends HttpRequest {
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the caller disconnects or the server stops waiting. */
  readonly signal: AbortSignal;
  /** Address of the caller. All calls without an address count as calls from one peer. */
  readonly peer?: string | undefined;
}

/** An {@link Endpoint}'s response. */
export interface HttpResponse {
  /** HTTP status. */
  readonly status: number;
  /** Body of the response: JSON, or empty. */
  readonly body: string;
  /** True if the rest of the request is not read; the connection is then closed after the response. */
  readonly closes?: boolean | undefined;
  /** Value of the `Retry-After` header. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Dependencies that a server passes to its endpoints. */
export interface EndpointParts {
  /** Client for handlers; `undefined` if the server has none. */
  readonly client: CachedReadWriter | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** Logs calls that failed, up to a limit. */
  readonly failures: FailureLog;
  /** Limits the total number of bytes held by all requests. */
  readonly bodies: ByteLimiter;
}

/** Handles calls to one path. */
export interface Endpoint {
  readonly path: string;
  /**
   * Identifies the endpoint. Adding another endpoint with the same path and purpose has no effect. Adding one with the same path and a
   * different purpose is an error.
   */
  readonly purpose: string;
  answer(call: HttpCall, parts: EndpointParts): Promise<HttpResponse>;
}
