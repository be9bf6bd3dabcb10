import { badRequest, type FieldError, fieldError, quote, toAggregateInvalid } from "@kubewright/apimachinery";
import type { RequestedFieldValidation } from "@kubewright/codec";
import { isInt64 } from "../../registry/int64.ts";
import { isTrue } from "./request-info.ts";

/** Validated parameters of a create, update or patch request. @see apimachinery meta/v1 CreateOptions, UpdateOptions, PatchOptions */
export interface WriteRequestOptions {
  readonly dryRun: boolean;
  /** Name of the field manager, of at most 128 bytes; empty if the request does not specify it. */
  readonly fieldManager: string;
  /** Policy for unknown fields. Empty if the request does not specify it, which means `Warn`. */
  readonly fieldValidation: RequestedFieldValidation;
  /** For server-side apply: true to take over fields that other managers own. */
  readonly force: boolean;
}

const noOptions: WriteRequestOptions = { dryRun: false, fieldManager: "", fieldValidation: "", force: false };
const maxManagerBytes = 128;
const validations = ["", "Ignore", "Strict", "Warn"] as const;

/**
 * Reads the parameters of a write.
 *
 * @throws {StatusError} 422 if a parameter is not valid; the error's kind is `CreateOptions`, `UpdateOptions` or `PatchOptions`
 *
 * @see apimachinery apis/meta/v1/validation
 */
export function writeOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  patch: { readonly isApply: boolean } = { isApply: false },
): WriteRequestOptions {
  if (query.size === 0 && !patch.isApply) return noOptions;
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const force = query.get("force");
  const errors = [
    ...(kind === "PatchOptions" ? patchErrors(fieldManager, force, patch.isApply) : []),
    ...managerErrors(fieldManager),
    ...dryRunErrors(dryRun),
    ...(isFieldValidation(fieldValidation)
      ? []
      : [fieldError.notSupported("fieldValidation", fieldValidation, validations)]),
  ];
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: isFieldValidation(fieldValidation) ? fieldValidation : "",
    force: isTrue(force),
  };
}

export const invalidOptions = (kind: string, errors: readonly FieldError[]): Error =>
  toAggregateInvalid({ group: "meta.k8s.io", kind }, "", errors);

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [fieldError.notSupported("dryRun", dryRun, ["All"])];
}

/** Returns the field manager's name. The default is the user agent up to its first slash. */
export function managerOf(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== "") return fieldManager;
  const printable = (userAgent ?? "").split("/")[0]?.replace(/[^\x20-\x7e]/g, "") ?? "";
  return printable.slice(0, maxManagerBytes) || "unknown";
}

/**
 * Returns an integer parameter from the query, or `undefined` if the parameter is absent.
 *
 * @throws {StatusError} 400 with the message of Go's parser, if the parameter is not an integer
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
  if (!isInt64(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
  return Number(text);
}

const isFieldValidation = (text: string): text is RequestedFieldValidation =>
  (validations as readonly string[]).includes(text);

function patchErrors(manager: string, force: string | null, isApply: boolean): FieldError[] {
  if (isApply) return manager === "" ? [fieldError.required("fieldManager", "is required for apply patch")] : [];
  return force === null ? [] : [fieldError.forbidden("force", "may not be specified for non-apply patch")];
}

/** Formats a code point as Go does: `U+0000`. */
function codePoint(text: string, at: number): string {
  const code = [...text][at]?.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function managerErrors(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > maxManagerBytes) return [fieldError.tooLong("fieldManager", maxManagerBytes)];
  const at = [...manager].findIndex((char) => !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char));
  return at < 0
    ? []
    : [fieldError.invalid("fieldManager", manager, `invalid character ${codePoint(manager, at)} (at position ${at})`)];
}
