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

/** What is wrong with fields of an object; the answer names the object too. */
class InvalidFields extends StatusError {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(failure(422, "Invalid", errors.map(fieldErrorMessage).join(", ")));
    this.errors = errors;
  }
}

/**
 * To be thrown: a field has a value that it may not have. With a list, several have; `fieldError` makes its items.
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

/** To be thrown: this user may not do this. */
export const forbidden = (message: string): StatusError => new StatusError(failure(403, "Forbidden", message));

/** The answer that a thrown error stands for: a `StatusError` passes through, also from among the causes; anything else denies with its text. */
export function refusal(error: unknown, request: AdmissionRequest): AdmissionResponse {
  const refused = findCause(error, isStatusError);
  if (!refused) return denied(errorText(error));
  const { status } =
    refused instanceof InvalidFields ? toAggregateInvalid(request.kind, request.name, refused.errors) : refused;
  return { allowed: false, result: status };
}
