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
])("gives %d its usual reason, by which clients tell errors apart", (status, reason) => {
  expect(failureStatus({ status })).toMatchObject({ kind: "Status", status: "Failure", reason, code: status });
});

it("is told apart by what is asked for where that is said", () => {
  expect(isTimeout(new StatusError(failureStatus({ status: 504 })))).toBe(true);
  const taken = new StatusError(failureStatus({ status: 409, reason: "AlreadyExists" }));
  expect([isConflict(taken), taken.reason]).toEqual([false, "AlreadyExists"]);
});

it("says when to come back, at once too, and nothing of it unless asked", () => {
  expect(failureStatus({ status: 429, retryAfterSeconds: 0 }).details).toEqual({ retryAfterSeconds: 0 });
  expect(failureStatus({ status: 429 })).not.toHaveProperty("details");
});
