import { fieldError, fieldErrorMessage } from "../error/field-error.ts";
import { findCause } from "../value/find-cause.ts";
import { isErrorWithCode, KubewrightError } from "../value/kubewright-error.ts";

/** Thrown if an object cannot be converted to a version, or if a conversion function returned an invalid result. */
export class ConversionError extends KubewrightError {
  override readonly name = "ConversionError";
  readonly code = "ERR_CONVERSION";
  /** Path of the invalid field, such as `metadata.name`. */
  readonly field: string;
  /** Value of the field. */
  readonly value: unknown;

  constructor(what: string, field: string, value: unknown, problem: string, options?: ErrorOptions) {
    super(`${what}: ${fieldErrorMessage(fieldError.invalid(field, value, problem))}`, options);
    this.field = field;
    this.value = value;
  }
}

/** Reports whether the error is a {@link ConversionError} or was caused by one. */
export const isConversionError = (error: unknown): boolean =>
  findCause(error, isErrorWithCode<ConversionError>("ERR_CONVERSION")) !== undefined;
