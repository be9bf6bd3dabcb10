import {
  expired,
  internalError,
  StatusError,
  serviceUnavailable,
  timeout,
  tooManyRequests,
} from "@kubewright/apimachinery";
import type { FaultPlan } from "./fault-plan.ts";

export interface SimulatedResponse {
  readonly status: number;
  readonly body: Buffer;
}

export interface StreamedResponse {
  readonly status: number;
  readonly chunks: AsyncIterable<Buffer>;
}

export const refused = ({ code, status }: StatusError): SimulatedResponse => ({
  status: code,
  body: Buffer.from(JSON.stringify(status)),
});

/** Returns the error for a valid request, if one is planned. */
export function plannedRefusal(what: "List" | "Watch", faults: FaultPlan): StatusError | undefined {
  if (faults.take(`goneOn${what}`)) return expired("The resourceVersion for the provided list is too old.");
  if (faults.take(`tooManyRequestsOn${what}`)) return tooManyRequests("slow down", 1);
  if (faults.take(`internalErrorOn${what}`)) return internalError(new Error("etcd is gone"));
  if (faults.take(`unavailableOn${what}`)) return serviceUnavailable("shutting down");
  return undefined;
}

/** Returns the error for a version that the server does not have yet. */
export function tooLarge(wanted: bigint, now: bigint): StatusError {
  const { status } = timeout(`Too large resource version: ${wanted}, current: ${now}`, 1);
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new StatusError({ ...status, details: { ...status.details, causes } });
}

/** Returns the answer of a server without streaming lists to a watch that requests one. */
export const streamingListsUnknown = (): StatusError =>
  new StatusError({
    ...internalError("").status,
    code: 422,
    reason: "Invalid",
    message: "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch",
    details: {},
  });

/** Returns an error of the network. */
export const networkError = (code: string): Error => Object.assign(new Error(code), { code });
