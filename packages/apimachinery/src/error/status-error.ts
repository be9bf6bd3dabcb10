import { NoMatchError } from "../object/rest-mapper.ts";
import { findCause } from "../value/find-cause.ts";

/** One cause of a failure, usually about one field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** What the API server answers instead of an object. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: { continue?: string; resourceVersion?: string; remainingItemCount?: number };
  status?: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** A refusal by the API server, or by an embedded one. `status` is the wire form. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? "unknown", options);
    this.status = status;
  }

  /** HTTP status code; 500 where the server named none. */
  get code(): number {
    return this.status.code ?? 500;
  }

  /** Upstream's machine-readable reason, such as `NotFound`; empty where there is none. */
  get reason(): string {
    return this.status.reason ?? "";
  }

  /** How long the server asks to wait before trying again, if it does. */
  get retryAfterMs(): number | undefined {
    const seconds = this.status.details?.retryAfterSeconds;
    return seconds === undefined || seconds <= 0 ? undefined : seconds * 1_000;
  }
}

function failure(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details ? { details } : {}),
    code,
  });
}

/** Which resource (or, for invalid objects, kind) an error is about. */
export interface QualifiedResource {
  readonly group: string;
  readonly resource: string;
}

const qualified = ({ group, resource }: QualifiedResource): string =>
  group === "" ? resource : `${resource}.${group}`;
const about = ({ group, resource }: QualifiedResource, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  kind: resource,
});

/** @see apimachinery api/errors NewNotFound */
export const notFound = (r: QualifiedResource, name: string): StatusError =>
  failure(404, "NotFound", `${qualified(r)} "${name}" not found`, about(r, name));

/** @see apimachinery api/errors NewAlreadyExists */
export const alreadyExists = (r: QualifiedResource, name: string): StatusError =>
  failure(409, "AlreadyExists", `${qualified(r)} "${name}" already exists`, about(r, name));

/** @see apimachinery api/errors NewConflict */
export const conflict = (r: QualifiedResource, name: string, cause: string): StatusError =>
  failure(409, "Conflict", `Operation cannot be fulfilled on ${qualified(r)} "${name}": ${cause}`, about(r, name));

/** @see apimachinery api/errors NewForbidden */
export const forbidden = (r: QualifiedResource, name: string, cause: string): StatusError =>
  failure(
    403,
    "Forbidden",
    r.resource === ""
      ? `forbidden: ${cause}`
      : name === ""
        ? `${qualified(r)} is forbidden: ${cause}`
        : `${qualified(r)} "${name}" is forbidden: ${cause}`,
    about(r, name),
  );

/** @see apimachinery api/errors NewBadRequest */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** @see apimachinery api/errors NewUnauthorized */
export const unauthorized = (message = "Unauthorized"): StatusError => failure(401, "Unauthorized", message);

/** @see apimachinery api/errors NewResourceExpired */
export const expired = (message: string): StatusError => failure(410, "Expired", message);

/** @see apimachinery api/errors NewGone */
export const gone = (message: string): StatusError => failure(410, "Gone", message);

/** @see apimachinery api/errors NewTooManyRequests */
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, { retryAfterSeconds });

/** @see apimachinery api/errors NewTimeoutError */
export const timeout = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, { retryAfterSeconds });

/** @see apimachinery api/errors NewServiceUnavailable */
export const serviceUnavailable = (message: string): StatusError => failure(503, "ServiceUnavailable", message);

/** @see apimachinery api/errors NewInternalError */
export const internalError = (cause: unknown): StatusError => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
};

/** @see apimachinery api/errors NewMethodNotSupported */
export const methodNotSupported = (r: QualifiedResource, action: string): StatusError =>
  failure(405, "MethodNotAllowed", `${action} is not supported on resources of kind "${qualified(r)}"`, {
    ...(r.group === "" ? {} : { group: r.group }),
    kind: r.resource,
  });

/** Whether this very error is a {@link StatusError}. One that may be wrapped: `findCause(error, isStatusError)`. */
export const isStatusError = (error: unknown): error is StatusError => error instanceof StatusError;

/** A kind that is not served is no absent object, whatever the server answered; what it was refused with does not speak for it. */
const isVerdict = (error: unknown): error is StatusError | NoMatchError =>
  error instanceof StatusError || error instanceof NoMatchError;

/** What the API server said, where an error is its refusal or was caused by one. */
function refusalIn(error: unknown): StatusError | undefined {
  const verdict = findCause(error, isVerdict);
  return verdict instanceof StatusError ? verdict : undefined;
}

// The checks below look through causes, as upstream's do. They answer whether, not what: `findCause` gives the error itself.

const hasReason =
  (reason: string, code?: number) =>
  (error: unknown): boolean => {
    const refusal = refusalIn(error);
    if (!refusal) return false;
    return refusal.reason === reason || (refusal.reason === "" && code !== undefined && refusal.code === code);
  };

export const isNotFound = hasReason("NotFound", 404);
export const isAlreadyExists = hasReason("AlreadyExists");
export const isConflict = hasReason("Conflict", 409);
export const isInvalid = hasReason("Invalid", 422);
export const isForbidden = hasReason("Forbidden", 403);
export const isUnauthorized = hasReason("Unauthorized", 401);
export const isBadRequest = hasReason("BadRequest", 400);
export const isMethodNotSupported = hasReason("MethodNotAllowed", 405);
export const isTooManyRequests = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal !== undefined && (refusal.reason === "TooManyRequests" || refusal.code === 429);
};
export const isTimeout = hasReason("Timeout");
export const isServerTimeout = hasReason("ServerTimeout");
export const isInternalError = hasReason("InternalError", 500);
export const isServiceUnavailable = hasReason("ServiceUnavailable", 503);
/** The position in history that was asked for is no longer there: list again. */
export const isExpired = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal !== undefined && (refusal.reason === "Expired" || refusal.reason === "Gone" || refusal.code === 410);
};

/** Whether the server named this among the causes, such as `NamespaceTerminating`. @see apimachinery api/errors HasStatusCause */
export const hasStatusCause = (error: unknown, reason: string): boolean =>
  refusalIn(error)?.status.details?.causes?.some((cause) => cause.reason === reason) ?? false;

/** For `.catch`: an absent object becomes `undefined`, anything else is thrown on. */
export function ignoreNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** For `.catch`: an object that is there already becomes `undefined`, anything else is thrown on. */
export function ignoreAlreadyExists(error: unknown): undefined {
  if (isAlreadyExists(error)) return undefined;
  throw error;
}
