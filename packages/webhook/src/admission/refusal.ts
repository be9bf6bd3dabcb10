import {
  type FieldError,
  fieldError,
  fieldErrorMessage,
  findCause,
  isStatusError,
  type Status,
  StatusError,
  toAggregateInvalid,
} from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";
import type { AdmissionRequest } from "../review/admission-review.ts";
import { type AdmissionResponse, denied } from "./response.ts";

const failure = (code: number, reason: string, message: string): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  code,
});

/** Invalid fields of an object; the response also names the object. */
class InvalidFields extends StatusError {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(failure(422, "Invalid", errors.map(fieldErrorMessage).join(", ")));
    this.errors = errors;
  }
}

/**
 * Creates an error to throw for a field with an invalid value, or for a list of fields created with `fieldError`.
 *
 * ```ts
 * throw invalid("spec.image", site.spec.image, "is immutable");
 * ```
 */
export function invalid(field: string, value: unknown, detail: string): StatusError;
export function invalid(errors: readonly FieldError[]): StatusError;
export function invalid(field: string | readonly FieldError[], value?: unknown, detail = ""): StatusError {
  return new InvalidFields(typeof field === "string" ? [fieldError.invalid(field, value, detail)] : field);
}

/** Creates an error to throw if the user is not allowed to perform the operation. */
export const refused = (message: string): StatusError => new StatusError(failure(403, "Forbidden", message));

/**
 * Converts a thrown error to a response. If the error or one of its causes is a `StatusError`, the response contains
 * its status. For any other error, the response denies the request with the error's message.
 */
export function refusal(error: unknown, request: AdmissionRequest): AdmissionResponse {
  const refused = findCause(error, isStatusError);
  if (!refused) return denied(errorText(error));
  const { status } =
    refused instanceof InvalidFields ? toAggregateInvalid(request.kind, request.name, refused.errors) : refused;
  return { allowed: false, result: status };
}
