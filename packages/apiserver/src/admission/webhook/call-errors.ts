import { badRequest, isRecord, quote, type Status, type StatusCause, StatusError } from "@kubewright/apimachinery";

/**
 * Thrown if a webhook could not be called or its response is not valid. The webhook's failure policy determines whether
 * the request fails.
 *
 * @see apiserver pkg/util/webhook ErrCallingWebhook
 */
export class WebhookFailure extends Error {
  override readonly name = "WebhookFailure";

  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${quote(webhook)}: ${reason}`);
  }
}

/** Returns a 400 error: a dry run must not call a webhook that may have side effects. */
export const dryRunUnsupported = (webhook: string): StatusError =>
  badRequest(`admission webhook ${quote(webhook)} does not support dry run`);

/**
 * Returns the error to send to the client if a webhook rejects a request.
 *
 * @see apiserver pkg/admission/plugin/webhook/errors ToStatusErr
 */
export function rejection(webhook: string, result: Readonly<Record<string, unknown>> = {}): StatusError {
  const denied = `admission webhook ${quote(webhook)} denied the request`;
  const { message, reason, code, details } = result;
  const text = isText(message) ? `: ${message}` : isText(reason) ? `: ${reason}` : " without explanation";
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${denied}${text}`,
    ...(isText(reason) ? { reason } : {}),
    ...(isRecord(details) ? { details: detailsOf(details) } : {}),
    code: typeof code === "number" && code >= 400 ? code : 400,
  };
  return new StatusError(status);
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function detailsOf(given: Readonly<Record<string, unknown>>): NonNullable<Status["details"]> {
  const { name, group, kind, uid, causes, retryAfterSeconds } = given;
  return {
    ...(isText(name) ? { name } : {}),
    ...(isText(group) ? { group } : {}),
    ...(isText(kind) ? { kind } : {}),
    ...(isText(uid) ? { uid } : {}),
    ...(Array.isArray(causes) && causes.length > 0 ? { causes: causes.filter(isRecord).map(causeOf) } : {}),
    ...(typeof retryAfterSeconds === "number" && retryAfterSeconds !== 0 ? { retryAfterSeconds } : {}),
  };
}

function causeOf({ reason, message, field }: Readonly<Record<string, unknown>>): StatusCause {
  return {
    ...(isText(reason) ? { reason } : {}),
    ...(isText(message) ? { message } : {}),
    ...(isText(field) ? { field } : {}),
  };
}
