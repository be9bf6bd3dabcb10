import { groupKindKey } from "../object/kind.ts";
import { formatGoNumber, quote } from "../value/go-format.ts";
import { FieldPath } from "./field-path.ts";
import { StatusError } from "./status-error.ts";

/** Type of a field error. In a Status, it is the `reason` of the corresponding cause. */
export type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooShort"
  | "FieldValueTooMany"
  | "FieldValueTooFew"
  | "FieldValueNotFound"
  | "FieldValueTypeInvalid"
  | "InternalError";

const words: Readonly<Record<FieldErrorType, string>> = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueNotFound: "Not found",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
};

/** Placeholder for an invalid value that must not appear in an error message. */
export const omittedValue: unique symbol = Symbol("omitted value");

/** An error in one field of an object. @see apimachinery util/validation/field Error */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path of the field, such as `spec.ports[0].port`. */
  readonly field: string;
  /**
   * Value of the field, or {@link omittedValue}. The messages of some types of errors do not contain it: required, forbidden, too long, too
   * short and internal error.
   */
  readonly badValue: unknown;
  /** Description of the error, which may be empty. */
  readonly detail: string;
}

const make = (type: FieldErrorType, at: FieldPath | string, badValue: unknown, detail: string): FieldError => ({
  type,
  field: at.toString(),
  badValue,
  detail,
});

/** Functions that create field errors, one for each type. @see apimachinery util/validation/field errors.go */
export const fieldError = {
  required: (at: FieldPath | string, detail = ""): FieldError => make("FieldValueRequired", at, "", detail),
  invalid: (at: FieldPath | string, badValue: unknown, detail: string): FieldError =>
    make("FieldValueInvalid", at, badValue, detail),
  typeInvalid: (at: FieldPath | string, badValue: unknown, detail: string): FieldError =>
    make("FieldValueTypeInvalid", at, badValue, detail),
  /** Lists the supported values in the given order. Upstream sorts values that come from a set. */
  notSupported: (at: FieldPath | string, badValue: unknown, supported: readonly string[]): FieldError =>
    make(
      "FieldValueNotSupported",
      at,
      badValue,
      supported.length > 0 ? `supported values: ${supported.map(quote).join(", ")}` : "",
    ),
  duplicate: (at: FieldPath | string, badValue: unknown): FieldError => make("FieldValueDuplicate", at, badValue, ""),
  forbidden: (at: FieldPath | string, detail: string): FieldError => make("FieldValueForbidden", at, "", detail),
  tooLong: (at: FieldPath | string, maxBytes: number): FieldError =>
    make(
      "FieldValueTooLong",
      at,
      omittedValue,
      maxBytes < 0 ? "value is too long" : `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`,
    ),
  tooMany: (at: FieldPath | string, actual: number, max: number): FieldError =>
    make(
      "FieldValueTooMany",
      at,
      actual >= 0 ? actual : omittedValue,
      max < 0 ? "has too many items" : `must have at most ${max} ${max === 1 ? "item" : "items"}`,
    ),
  notFound: (at: FieldPath | string, badValue: unknown): FieldError => make("FieldValueNotFound", at, badValue, ""),
  internal: (at: FieldPath | string, cause: unknown): FieldError =>
    make("InternalError", at, omittedValue, cause instanceof Error ? cause.message : String(cause)),
} as const;

const valueless: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
]);

/** Returns the error without its field, such as `Invalid value: "x": must be a name`. Objects and lists are shown as compact JSON. */
export function fieldErrorBody(error: FieldError): string {
  const showsValue = !valueless.has(error.type) && error.badValue !== omittedValue;
  const word = words[error.type];
  return [word, ...(showsValue ? [printValue(error.badValue)] : []), ...(error.detail ? [error.detail] : [])].join(
    ": ",
  );
}

/** Returns the error in message form, such as `spec.x: Required value`. */
export function fieldErrorMessage(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** Maximum number of errors in one message. Without this limit, an object of 1 MB could cause as many errors as it has members. */
const maxErrorsShown = 1_000;
const longestErrors = 256 * 1024;
const longestValue = 64 * 1024;

interface ShownErrors {
  readonly shown: readonly { readonly error: FieldError; readonly body: string }[];
  /** Number of errors that are not shown. */
  readonly omitted: number;
}

/** Returns the first errors, up to the maximum number and length for a message. Only the values that are shown are formatted. */
function shownErrors(errors: readonly FieldError[]): ShownErrors {
  const shown: { error: FieldError; body: string }[] = [];
  let length = 0;
  for (const error of errors) {
    if (shown.length === maxErrorsShown || length > longestErrors) break;
    const body = fieldErrorBody(error);
    shown.push({ error, body });
    length += error.field.length + body.length;
  }
  return { shown, omitted: errors.length - shown.length };
}

function aggregateShown({ shown, omitted }: ShownErrors): string {
  const messages = [...new Set(shown.map(({ error, body }) => `${error.field}: ${body}`))];
  if (omitted > 0) messages.push(`and ${omitted} more errors`);
  const [only] = messages;
  return messages.length === 1 && only !== undefined ? only : messages.length === 0 ? "" : `[${messages.join(", ")}]`;
}

/**
 * Formats errors as one string. A single error is returned unchanged, several errors in the form `[a, b]`, without
 * duplicates. The string is empty if there are no errors. After 1,000 errors or 256 KiB, it ends with the number of
 * remaining errors.
 */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return aggregateShown(shownErrors(errors));
}

/**
 * Returns the 422 error for an object with field errors. The number of errors included is limited as in {@link
 * aggregateFieldErrors}.
 *
 * @see apimachinery api/errors NewInvalid
 */
export function toAggregateInvalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const what = kind.kind === "" && kind.group !== "" ? `.${kind.group}` : groupKindKey(kind);
  const subject = `${what} ${quote(name)} is invalid`;
  const limited = shownErrors(errors);
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: errors.length === 0 ? subject : `${subject}: ${aggregateShown(limited)}`,
    reason: "Invalid",
    details: {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      ...(errors.length === 0
        ? {}
        : {
            causes: limited.shown.map(({ error: { type, field }, body }) => ({ reason: type, message: body, field })),
          }),
    },
    code: 422,
  });
}

function printValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return quote(cut(value));
  if (typeof value === "number") return formatGoNumber(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? Number(item) : item));
  // the characters that Go's encoder escapes
  return cut(text).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const cut = (text: string): string => (text.length > longestValue ? `${text.slice(0, longestValue)}…` : text);

/** Creates a path from one or more names. See {@link FieldPath.of}. */
export function fieldPath(...names: readonly string[]): FieldPath {
  return FieldPath.of(...names);
}
