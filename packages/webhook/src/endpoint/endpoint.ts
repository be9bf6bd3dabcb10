import type { CachedReadWriter } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ByteBudget } from "./byte-budget.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** Headers by lower-case name; those that came several times may be lists. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What handlers may see of the HTTP request. */
export interface HttpRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: HttpHeaders;
}

/** A request to a path. */
export interface HttpCall extends HttpRequest {
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the caller has gone, or the server cannot wait any longer. */
  readonly signal: AbortSignal;
  /** Address of the caller. Default: one that all calls without it share. */
  readonly peer?: string | undefined;
}

/** What an {@link Endpoint} answers. */
export interface HttpAnswer {
  /** HTTP status. */
  readonly status: number;
  /** JSON, or nothing. */
  readonly body: string;
  /** The rest of the request is not read: the connection ends with the answer. */
  readonly closes?: boolean;
  /** Value of the header `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}

/** What a server lends to those who answer. */
export interface EndpointParts {
  /** `undefined` where the server was given none. */
  readonly client: CachedReadWriter | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** How many bytes requests may hold, all together. */
  readonly bodies: ByteBudget;
}

/** Answers the calls to one path. */
export interface Endpoint {
  readonly path: string;
  /** What it is there for. Adding a second one of the same path and purpose changes nothing; one of another purpose is a mistake. */
  readonly purpose: string;
  answer(call: HttpCall, parts: EndpointParts): Promise<HttpAnswer>;
}
