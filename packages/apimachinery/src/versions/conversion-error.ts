import { fieldError, fieldErrorMessage } from "../error/field-error.ts";
import { findCause } from "../value/find-cause.ts";

/** An object cannot be brought into a version, or what was made of it is not the object. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
  /** The field to blame, such as `metadata.name`. */
  readonly field: string;
  /** Its value. */
  readonly value: unknown;

  constructor(what: string, field: string, value: unknown, problem: string, options?: ErrorOptions) {
    super(`${what}: ${fieldErrorMessage(fieldError.invalid(field, value, problem))}`, options);
    this.field = field;
    this.value = value;
  }
}

/** Whether an error says so, or was caused by one that does. */
export const isConversionError = (error: unknown): boolean =>
  findCause(error, (cause): cause is ConversionError => cause instanceof ConversionError) !== undefined;
