import { NoMatchError } from "../object/rest-mapper.ts";
import { findCause } from "../value/find-cause.ts";

/** One cause of a failure, usually about one field. @see apimachinery meta/v1 StatusCause */
export interface StatusCause {
  /** One CamelCase word, such as `FieldValueInvalid`. */
  reason?: string;
  message?: string;
  /** A path such as `spec.ports[0].port`. */
  field?: string;
}

/** What a failure is about, for machines: which object, which causes, when to come again. @see apimachinery meta/v1 StatusDetails */
export interface StatusDetails {
  name?: string;
  group?: string;
  /** The kind, or the plural of the resource: servers put either here. */
  kind?: string;
  uid?: string;
  /** Of a refused object, one for each field that is wrong. */
  causes?: StatusCause[];
  /** After so long another try may be worth it; absent or 0: the server asks for no delay. */
  retryAfterSeconds?: number;
}

/** What the API server answers instead of an object. @see apimachinery meta/v1 Status */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: { continue?: string; resourceVersion?: string; remainingItemCount?: number };
  status?: "Success" | "Failure";
  message?: string;
  /** One CamelCase word for machines, such as `NotFound`. */
  reason?: string;
  details?: StatusDetails;
  /** The HTTP status. */
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

/** The refusal of what is about an object that is not there: 404. @see apimachinery api/errors NewNotFound */
export const notFound = (r: QualifiedResource, name: string): StatusError =>
  failure(404, "NotFound", `${qualified(r)} "${name}" not found`, about(r, name));

/** The refusal of a creation because there is an object of that name: 409. @see apimachinery api/errors NewAlreadyExists */
export const alreadyExists = (r: QualifiedResource, name: string): StatusError =>
  failure(409, "AlreadyExists", `${qualified(r)} "${name}" already exists`, about(r, name));

/** The refusal of a write that collides with another one: 409; `cause` says with what. @see apimachinery api/errors NewConflict */
export const conflict = (r: QualifiedResource, name: string, cause: string): StatusError =>
  failure(409, "Conflict", `Operation cannot be fulfilled on ${qualified(r)} "${name}": ${cause}`, about(r, name));

/**
 * The refusal of what the user may not do: 403. Without a name it is about all of the resource, without a resource about a path.
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

/** The refusal of a request that makes no sense: 400. @see apimachinery api/errors NewBadRequest */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** The refusal of a user who is not known: 401. @see apimachinery api/errors NewUnauthorized */
export const unauthorized = (message = "Unauthorized"): StatusError => failure(401, "Unauthorized", message);

/** The refusal of a position in history that is no longer there: 410, reason `Expired`. @see apimachinery api/errors NewResourceExpired */
export const expired = (message: string): StatusError => failure(410, "Expired", message);

/**
 * The refusal of a watch whose position is no longer there: 410, reason `Gone`; newer servers say {@link expired}.
 *
 * @see apimachinery api/errors NewGone
 */
export const gone = (message: string): StatusError => failure(410, "Gone", message);

/** The refusal of one request too many: 429. @see apimachinery api/errors NewTooManyRequests */
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, { retryAfterSeconds });

/** The answer where the server gave up: 504, `Timeout: ` before the message. @see apimachinery api/errors NewTimeoutError */
export const timeout = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, { retryAfterSeconds });

/** The answer of a server that cannot work now: 503. @see apimachinery api/errors NewServiceUnavailable */
export const serviceUnavailable = (message: string): StatusError => failure(503, "ServiceUnavailable", message);

/**
 * The answer where the server itself failed: 500. An error's message is told, so it must hold no secret.
 *
 * @see apimachinery api/errors NewInternalError
 */
export const internalError = (cause: unknown): StatusError => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
};

/** The refusal of a verb that the resource does not offer: 405. @see apimachinery api/errors NewMethodNotSupported */
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

/**
 * Whether the API server says that there is no such object: reason `NotFound`, or 404 without a reason. A kind that is not served ({@link
 * NoMatchError}) is no absent object.
 *
 * @see apimachinery api/errors IsNotFound
 */
export const isNotFound = hasReason("NotFound", 404);
/**
 * Whether a creation was refused because there is an object of that name: reason `AlreadyExists`. @see apimachinery api/errors
 * IsAlreadyExists
 */
export const isAlreadyExists = hasReason("AlreadyExists");
/**
 * Whether a write was refused because the object has changed since it was read, or other owners hold the fields: reason `Conflict`, or 409
 * without a reason.
 *
 * @see apimachinery api/errors IsConflict
 */
export const isConflict = hasReason("Conflict", 409);
/** Whether validation refused the object: reason `Invalid`, or 422 without a reason. @see apimachinery api/errors IsInvalid */
export const isInvalid = hasReason("Invalid", 422);
/** Whether the user may not do that: reason `Forbidden`, or 403 without a reason. @see apimachinery api/errors IsForbidden */
export const isForbidden = hasReason("Forbidden", 403);
/**
 * Whether the server does not know the user: reason `Unauthorized`, or 401 without a reason. @see apimachinery api/errors IsUnauthorized
 */
export const isUnauthorized = hasReason("Unauthorized", 401);
/**
 * Whether the server could not make sense of the request: reason `BadRequest`, or 400 without a reason. @see apimachinery api/errors
 * IsBadRequest
 */
export const isBadRequest = hasReason("BadRequest", 400);
/**
 * Whether the resource does not offer the verb: reason `MethodNotAllowed`, or 405 without a reason. @see apimachinery api/errors
 * IsMethodNotSupported
 */
export const isMethodNotSupported = hasReason("MethodNotAllowed", 405);
/**
 * Whether the server wants fewer requests: reason `TooManyRequests`, or 429 whatever the reason. When to come again is in {@link
 * StatusError.retryAfterMs}.
 *
 * @see apimachinery api/errors IsTooManyRequests
 */
export const isTooManyRequests = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal !== undefined && (refusal.reason === "TooManyRequests" || refusal.code === 429);
};
/**
 * Whether the server gave up before the request was done: reason `Timeout`. Whether it was done is unknown. @see apimachinery api/errors
 * IsTimeout
 */
export const isTimeout = hasReason("Timeout");
/**
 * Whether the server was too busy to begin, and asks to try again later: reason `ServerTimeout`. @see apimachinery api/errors
 * IsServerTimeout
 */
export const isServerTimeout = hasReason("ServerTimeout");
/** Whether the server itself failed: reason `InternalError`, or 500 without a reason. @see apimachinery api/errors IsInternalError */
export const isInternalError = hasReason("InternalError", 500);
/**
 * Whether the server cannot answer at present: reason `ServiceUnavailable`, or 503 without a reason. @see apimachinery api/errors
 * IsServiceUnavailable
 */
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
