import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  internalError,
  notFound,
  type QualifiedResource,
  StatusError,
} from "@kubewright/apimachinery";
import { unexplained } from "@kubewright/codec";
import { isStorageError, type StorageError } from "@kubewright/storage";

/**
 * Converts an error from the storage to an API error. Returns other errors unchanged.
 *
 * @see apiserver pkg/registry/generic/registry storage/errors
 */
export function statusOfStorageError(error: unknown, resource: QualifiedResource, name: string): unknown {
  if (!isStorageError(error)) return error;
  switch (error.reason) {
    case "KeyExists":
      return alreadyExists(resource, name);
    case "KeyNotFound":
      return notFound(resource, name);
    case "ResourceVersionConflict":
      return staleVersion(resource, name);
    case "InvalidObject":
      return conflict(
        resource,
        name,
        `StorageError: invalid object, Code: 4, Key: /registry${error.key.replace(/^\/core/, "")}, ResourceVersion: 0, AdditionalErrorMsg: ${error.message}`,
      );
    case "Expired":
      return withContinue(expired(error.message), error.continue);
    case "TooLargeResourceVersion":
      return tooLarge(error);
    case "TooLarge":
      return unexplained(error.message);
    case "InvalidContinueToken":
      return badRequest(`invalid continue token: ${error.message}`);
    case "InvalidResourceVersion":
      return badRequest(`invalid resource version: resourceVersion: Invalid value: ${error.message}`);
    default:
      return internalError(error);
  }
}

/** Returns the 409 error for an object that has changed in the meantime. */
export const staleVersion = (resource: QualifiedResource, name: string): StatusError =>
  conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );

function withContinue(error: StatusError, token: string | undefined): StatusError {
  return token === undefined ? error : new StatusError({ ...error.status, metadata: { continue: token } });
}

function tooLarge(error: StorageError): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Timeout: ${error.message}`,
    reason: "Timeout",
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
    code: 504,
  });
}
