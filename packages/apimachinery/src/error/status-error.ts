import { NoMatchError } from "../object/rest-mapper.ts";
import { findCause } from "../value/find-cause.ts";
import { KubewrightError } from "../value/kubewright-error.ts";

/** A cause of a failure, usually an error in a single field. @see apimachinery meta/v1 StatusCause */
export interface StatusCause {
  /** Reason in CamelCase, such as `FieldValueInvalid`. */
  reason?: string;
  message?: string;
  /** Path of the field, such as `spec.ports[0].port`. */
  field?: string;
}

/** Machine-readable details about a failure: the object, the causes and the retry delay. @see apimachinery meta/v1 StatusDetails */
export interface StatusDetails {
  name?: string;
  group?: string;
  /** Kind of the object, or the plural name of its resource. Servers send either. */
  kind?: string;
  uid?: string;
  /** Causes of the failure. If validation rejected the object, there is one cause for each invalid field. */
  causes?: StatusCause[];
  /** Seconds to wait before a retry. Absent or 0 if the server does not request a delay. */
  retryAfterSeconds?: number;
}

/**
 * A response from the API server that does not contain an object, such as an error.
 *
 * @see apimachinery meta/v1 Status
 */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: { continue?: string; resourceVersion?: string; remainingItemCount?: number };
  status?: "Success" | "Failure";
  message?: string;
  /** Machine-readable reason in CamelCase, such as `NotFound`. */
  reason?: string;
  details?: StatusDetails;
  /** HTTP status code. */
  code?: number;
}

/** An error response from a real or embedded API server. `status` contains the response. */
export class StatusError extends KubewrightError<number> {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? "unknown", options);
    this.status = status;
  }

  /** HTTP status code, or 500 if the server sent none. */
  get code(): number {
    return this.status.code ?? 500;
  }

  /** Machine-readable reason, such as `NotFound`, or an empty string if the server sent none. */
  get reason(): string {
    return this.status.reason ?? "";
  }

  /** Milliseconds to wait before a retry, or `undefined` if the server does not request a delay. */
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

/** The resource that an error is about. For invalid objects, `resource` is the kind. */
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

/** Returns the 404 error for an object that does not exist. @see apimachinery api/errors NewNotFound */
export const notFound = (r: QualifiedResource, name: string): StatusError =>
  failure(404, "NotFound", `${qualified(r)} "${name}" not found`, about(r, name));

/** Returns the 409 error for creating an object that already exists. @see apimachinery api/errors NewAlreadyExists */
export const alreadyExists = (r: QualifiedResource, name: string): StatusError =>
  failure(409, "AlreadyExists", `${qualified(r)} "${name}" already exists`, about(r, name));

/**
 * Returns the 409 error for a write that conflicts with another write. `cause` describes the conflict. @see
 * apimachinery api/errors NewConflict
 */
export const conflict = (r: QualifiedResource, name: string, cause: string): StatusError =>
  failure(409, "Conflict", `Operation cannot be fulfilled on ${qualified(r)} "${name}": ${cause}`, about(r, name));

/**
 * Returns the 403 error for a request that the user is not allowed to make. Without a name, the error applies to the
 * whole resource; without a resource, to a path.
 *
 * @see apimachinery api/errors NewForbidden
 */
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

/** Returns the 400 error for an invalid request. @see apimachinery api/errors NewBadRequest */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** Returns the 401 error for an unknown user. @see apimachinery api/errors NewUnauthorized */
export const unauthorized = (message = "Unauthorized"): StatusError => failure(401, "Unauthorized", message);

/**
 * Returns the 410 error with the reason `Expired`, for a resource version that is no longer available.
 *
 * @see apimachinery api/errors NewResourceExpired
 */
export const expired = (message: string): StatusError => failure(410, "Expired", message);

/**
 * Returns the 410 error with the reason `Gone`, for a watch whose resource version is no longer available. Newer servers send
 * {@link expired}.
 *
 * @see apimachinery api/errors NewGone
 */
export const gone = (message: string): StatusError => failure(410, "Gone", message);

/** Returns the 429 error for a request that exceeds a rate limit. @see apimachinery api/errors NewTooManyRequests */
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, { retryAfterSeconds });

/**
 * Returns the 504 error for a request that timed out. The message starts with `Timeout: `.
 *
 * @see apimachinery api/errors NewTimeoutError
 */
export const timeout = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, { retryAfterSeconds });

/**
 * Returns the 503 error of a server that is currently unavailable.
 *
 * @see apimachinery api/errors NewServiceUnavailable
 */
export const serviceUnavailable = (message: string): StatusError => failure(503, "ServiceUnavailable", message);

/**
 * Returns the 500 error for a server failure. It contains the message of `cause`, which must not contain secrets.
 *
 * @see apimachinery api/errors NewInternalError
 */
export const internalError = (cause: unknown): StatusError => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
};

/** Returns the 405 error for a verb that the resource does not support. @see apimachinery api/errors NewMethodNotSupported */
export const methodNotSupported = (r: QualifiedResource, action: string): StatusError =>
  failure(405, "MethodNotAllowed", `${action} is not supported on resources of kind "${qualified(r)}"`, {
    ...(r.group === "" ? {} : { group: r.group }),
    kind: r.resource,
  });

/** True if the error itself is a {@link StatusError}. To search its causes as well, use `findCause(error, isStatusError)`. */
export const isStatusError = (error: unknown): error is StatusError => error instanceof StatusError;

/**
 * Reports whether an error determines the outcome of a request. A {@link NoMatchError} ends the search: a kind that is not served does not
 * mean that an object does not exist, so the status that caused the error is ignored.
 */
const isVerdict = (error: unknown): error is StatusError | NoMatchError =>
  error instanceof StatusError || error instanceof NoMatchError;

/** Returns the error response of the API server, if an error is one or was caused by one. */
function refusalIn(error: unknown): StatusError | undefined {
  const verdict = findCause(error, isVerdict);
  return verdict instanceof StatusError ? verdict : undefined;
}

// Like upstream's functions, the checks below also search the causes of an error. To get the status error itself, use `findCause`.

const hasReason =
  (reason: string, code?: number) =>
  (error: unknown): boolean => {
    const refusal = refusalIn(error);
    if (!refusal) return false;
    return refusal.reason === reason || (refusal.reason === "" && code !== undefined && refusal.code === code);
  };

/**
 * True if the API server reports that the object does not exist: reason `NotFound`, or 404 without a reason. False if
 * the kind itself is not served ({@link NoMatchError}).
 *
 * @see apimachinery api/errors IsNotFound
 */
export const isNotFound = hasReason("NotFound", 404);
/**
 * True if the object to be created already exists: reason `AlreadyExists`.
 *
 * @see apimachinery api/errors IsAlreadyExists
 */
export const isAlreadyExists = hasReason("AlreadyExists");
/**
 * True if a write was rejected because the object has changed since it was read, or because another field manager owns
 * some of its fields: reason `Conflict`, or 409 without a reason.
 *
 * @see apimachinery api/errors IsConflict
 */
export const isConflict = hasReason("Conflict", 409);
/** True if validation rejected the object: reason `Invalid`, or 422 without a reason. @see apimachinery api/errors IsInvalid */
export const isInvalid = hasReason("Invalid", 422);
/**
 * True if the user is not allowed to make the request: reason `Forbidden`, or 403 without a reason.
 *
 * @see apimachinery api/errors IsForbidden
 */
export const isForbidden = hasReason("Forbidden", 403);
/**
 * True if the user could not be authenticated: reason `Unauthorized`, or 401 without a reason.
 *
 * @see apimachinery api/errors IsUnauthorized
 */
export const isUnauthorized = hasReason("Unauthorized", 401);
/** True if the request was invalid: reason `BadRequest`, or 400 without a reason. @see apimachinery api/errors IsBadRequest */
export const isBadRequest = hasReason("BadRequest", 400);
/**
 * True if the resource does not support the verb: reason `MethodNotAllowed`, or 405 without a reason.
 *
 * @see apimachinery api/errors IsMethodNotSupported
 */
export const isMethodNotSupported = hasReason("MethodNotAllowed", 405);
/**
 * True if the server rejected the request because of a rate limit: reason `TooManyRequests`, or 429 with any reason.
 * {@link StatusError.retryAfterMs} contains the retry delay.
 *
 * @see apimachinery api/errors IsTooManyRequests
 */
export const isTooManyRequests = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal !== undefined && (refusal.reason === "TooManyRequests" || refusal.code === 429);
};
/**
 * True if the request timed out on the server: reason `Timeout`. The request may or may not have been completed.
 *
 * @see apimachinery api/errors IsTimeout
 */
export const isTimeout = hasReason("Timeout");
/**
 * True if the server was too busy to start the request and the client should retry later: reason `ServerTimeout`.
 *
 * @see apimachinery api/errors IsServerTimeout
 */
export const isServerTimeout = hasReason("ServerTimeout");
/** True if the server failed: reason `InternalError`, or 500 without a reason. @see apimachinery api/errors IsInternalError */
export const isInternalError = hasReason("InternalError", 500);
/**
 * True if the server is currently unavailable: reason `ServiceUnavailable`, or 503 without a reason.
 *
 * @see apimachinery api/errors IsServiceUnavailable
 */
export const isServiceUnavailable = hasReason("ServiceUnavailable", 503);
/**
 * True if the requested resource version is no longer available, so the objects must be listed again: reason `Expired` or `Gone`, or 410.
 */
export const isExpired = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal !== undefined && (refusal.reason === "Expired" || refusal.reason === "Gone" || refusal.code === 410);
};

/**
 * True if the causes in the error response include the given reason, such as `NamespaceTerminating`. @see apimachinery api/errors
 * HasStatusCause
 */
export const hasStatusCause = (error: unknown, reason: string): boolean =>
  refusalIn(error)?.status.details?.causes?.some((cause) => cause.reason === reason) ?? false;

/** Returns `undefined` if the object does not exist, and rethrows all other errors. For use with `.catch`. */
export function ignoreNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** Returns `undefined` if the object already exists, and rethrows all other errors. For use with `.catch`. */
export function ignoreAlreadyExists(error: unknown): undefined {
  if (isAlreadyExists(error)) return undefined;
  throw error;
}
