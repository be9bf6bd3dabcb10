import { isConflict, isTimeout, StatusError } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { failureStatus } from "./failure-status.ts";

it.each([
  [400, "BadRequest"],
  [404, "NotFound"],
  [409, "Conflict"],
  [410, "Expired"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
  [599, "InternalError"],
])("gives %d its usual reason", (status, reason) => {
  expect(failureStatus({ status })).toMatchObject({ kind: "Status", status: "Failure", reason, code: status });
});

it("has the requested reason and message", () => {
  expect(isTimeout(new StatusError(failureStatus({ status: 504 })))).toBe(true);
  const taken = new StatusError(failureStatus({ status: 409, reason: "AlreadyExists" }));
  expect([isConflict(taken), taken.reason]).toEqual([false, "AlreadyExists"]);
});

it("contains a retry delay, including 0, only on request", () => {
  expect(failureStatus({ status: 429, retryAfterSeconds: 0 }).details).toEqual({ retryAfterSeconds: 0 });
  expect(failureStatus({ status: 429 })).not.toHaveProperty("details");
});
