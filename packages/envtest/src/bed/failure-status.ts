import type { Status } from "@kubewright/apimachinery";
import type { Failure } from "./faults.ts";

/** Returns the Status for a rejected request. Both test beds return the same Status, so clients see the same errors. */
export const failureStatus = ({
  status: code,
  reason = reasons[code] ?? "InternalError",
  message = `injected fault: ${code}`,
  retryAfterSeconds,
}: Failure): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  code,
});

/** @see apimachinery pkg/apis/meta/v1 StatusReason */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
