import { isStatusError, type StatusError } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ConnectionError } from "./connection-error.ts";
import type { ConnectionRequest, ConnectionResponse } from "./connection-request.ts";
import { statusErrorFrom } from "./status-from-response.ts";

const maxRetries = 10;
/** The wait where the server names none. */
const defaultWaitMs = 1_000;
/** A longer wait is worth a warning. */
const longWaitMs = 60_000;

/** The connection went away under a request: the server restarts, or a proxy gave up on it. */
const brokenConnection = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_INFO",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_HTTP2_SESSION_ERROR",
]);

export interface Retries {
  /** Waits and says true if the same request should be sent again because of this answer. */
  afterStatus(response: ConnectionResponse, request: ConnectionRequest): Promise<boolean>;
  /** Likewise, because of a broken connection; only reads are repeated, for a write may have been done. */
  afterError(error: ConnectionError, request: ConnectionRequest): Promise<boolean>;
}

/**
 * How often and when one request is sent again.
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

/** Listens by hand: an `AbortSignal.any` of signals that live as long as the process is slow to be freed. */
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
