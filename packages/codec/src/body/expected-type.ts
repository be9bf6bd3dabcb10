import { apiVersionOf, type GroupVersionKind, StatusError } from "@kubewright/apimachinery";
import type { TypeSchema } from "../schema/type-schema.ts";

/** The type that a request body must have. */
export interface ExpectedType {
  readonly gvk: GroupVersionKind;
  readonly schema: TypeSchema;
  /** True for a custom resource, which has its own error messages and no protobuf form. */
  readonly custom: boolean;
}

/** Value of the `fieldValidation` request parameter. An empty value means `Warn`. */
export type RequestedFieldValidation = "" | "Ignore" | "Warn" | "Strict";

export const expectedApiVersion = (expected: ExpectedType): string => apiVersionOf(expected.gvk);

/** Returns a decoding error: 400 BadRequest with the given message and, as in upstream, without details. */
export const badBody = (message: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "BadRequest",
    code: 400,
  });

/**
 * Returns the error for a body without a recognizable type, such as `the object provided is unrecognized (must be of type ConfigMap): …
 * ({"kind":1 ...)`.
 */
export function unrecognized(expected: ExpectedType, cause: string, body: Buffer): StatusError {
  return badBody(
    `the object provided is unrecognized (must be of type ${expected.gvk.kind}): ${cause} (${excerpt(body)})`,
  );
}

/** Returns the beginning of a body for an error message. Text that looks like JSON is quoted as it is, and anything else in hexadecimal. */
function excerpt(body: Buffer): string {
  if (body.length === 0) return "<empty>";
  const isText = body[0] === 0x7b;
  const length = 30;
  const shown = isText ? body.subarray(0, length).toString() : body.subarray(0, length).toString("hex");
  return body.length > length ? `${shown} ...` : shown;
}

/** Returns an error such as `ConfigMap in version "v1" cannot be handled as a ConfigMap: …`. */
export function cannotBeHandled(
  expected: ExpectedType,
  given: { readonly kind: string; readonly version: string },
  cause: string,
): StatusError {
  return badBody(`${given.kind} in version "${given.version}" cannot be handled as a ${expected.gvk.kind}: ${cause}`);
}
