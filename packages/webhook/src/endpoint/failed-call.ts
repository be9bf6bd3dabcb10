import { DeadlineError } from "./deadline.ts";
import type { HttpResponse } from "./endpoint.ts";
import { BodyError } from "./read-body.ts";

const reasons = { 408: "Timeout", 429: "TooManyRequests", 504: "Timeout" } as const;
type FailedCode = keyof typeof reasons;

/** Time after which the API server retries the call on its own if it is still waiting. */
const retryAfterSeconds = 1;

/**
 * Returns the response to a call that could not be served because of overload or a timeout. The API server treats such
 * a call as failed, so that the webhook's `failurePolicy` applies; reporting the error in a review would deny the
 * request regardless of the policy. Returns `undefined` for errors that belong in a review.
 */
export function failedCall(error: unknown): HttpResponse | undefined {
  const code = failedCode(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  const { message } = error;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: reasons[code],
    code,
  };
  return {
    status: code,
    body: JSON.stringify(status),
    closes: error instanceof BodyError && error.isUnread,
    ...(code === 429 ? { retryAfterSeconds } : {}),
  };
}

function failedCode(error: unknown): FailedCode | undefined {
  if (error instanceof DeadlineError) return 504;
  if (error instanceof BodyError && (error.code === 408 || error.code === 429)) return error.code;
  return undefined;
}
