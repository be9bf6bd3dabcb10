import { isStatusError, type StatusError } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ConnectionError } from "./connection-error.ts";
import type { ConnectionRequest, ConnectionResponse } from "./connection-request.ts";
import { statusErrorFrom } from "./status-from-response.ts";

const maxRetries = 10;
/** Wait if the server does not set one. */
const defaultWaitMs = 1_000;
/** A longer wait is logged as a warning. */
const longWaitMs = 60_000;

/** Errors of a connection that broke during a request: the server restarts, or a proxy dropped it. */
const brokenConnection = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_INFO",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_HTTP2_SESSION_ERROR",
]);

export interface Retries {
  /** Waits and returns true if the same request must be sent again because of this response. */
  afterStatus(response: ConnectionResponse, request: ConnectionRequest): Promise<boolean>;
  /** Like {@link afterStatus}, because of a broken connection; only reads are repeated, because a write may have been processed. */
  afterError(error: ConnectionError, request: ConnectionRequest): Promise<boolean>;
}

/**
 * Decides how often and when one request is sent again.
 *
 * @see client-go rest withRetry
 */
export function retriesOf(clock: Clock, logger: Logger): Retries {
  let retries = 0;
  async function wait(ms: number, request: ConnectionRequest, err: StatusError | ConnectionError): Promise<boolean> {
    if (retries >= maxRetries || request.retryUntil?.aborted) return false;
    retries++;
    const why = isStatusError(err) ? { status: err.code, reason: err.message } : { err };
    const level = ms > longWaitMs ? "warn" : "debug";
    logger[level]({ ...why, path: request.path, retryAfterMs: ms, retries }, "sending the request again");
    request.onRetry?.(err);
    await sleepUntilEither(clock, ms, [request.signal, request.retryUntil]);
    request.signal?.throwIfAborted();
    return !request.retryUntil?.aborted;
  }
  return {
    async afterStatus(response, request) {
      const { status, headers } = response;
      if (status !== 429 && status < 500) return false;
      const seconds = Number(headers["retry-after"]);
      if (headers["retry-after"] === undefined || !Number.isInteger(seconds) || seconds < 0) return false;
      return wait(seconds * 1_000, request, statusErrorFrom(response, request));
    },
    async afterError(error, request) {
      const repeatable = (request.method ?? "GET") === "GET" && isBrokenConnection(error.cause);
      return repeatable && wait(defaultWaitMs, request, error);
    },
  };
}

/** Listens directly: an `AbortSignal.any` of signals that live as long as the process is slow to be freed. */
async function sleepUntilEither(
  clock: Clock,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  const wake = new AbortController();
  const onAbort = (): void => wake.abort();
  for (const signal of signals) {
    if (signal?.aborted) wake.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
  }
  await clock.sleep(ms, wake.signal);
  for (const signal of signals) signal?.removeEventListener("abort", onAbort);
}

const isBrokenConnection = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && brokenConnection.has(String(cause.code));
