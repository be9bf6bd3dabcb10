import {
  forbidden,
  internalError,
  isStatusError,
  type Status,
  StatusError,
  stringifyJson,
} from "@kubewright/apimachinery";
import { encode, type MediaType, negotiateError } from "@kubewright/codec";
import type { ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";

/** Sends an API object, or any other document, as JSON. */
export function sendObject(
  request: ApiRequest,
  code: number,
  value: unknown,
  mediaType: MediaType = "application/json",
): void {
  sendText(request, code, encode(value, mediaType, request.pretty), mediaType);
}

/**
 * Sends the head of a response: the status code, headers that were set earlier, the given headers, and headers common
 * to all responses.
 */
export function sendHead(
  { auditId, flowHeaders, response }: ApiRequest,
  code: number,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const caching = response.getHeader("Cache-Control") === undefined ? { "Cache-Control": "no-cache, private" } : {};
  response.writeHead(code, { "Audit-Id": auditId, ...caching, ...headers, ...flowHeaders });
}

/** Sends a response without a body. */
export function sendEmpty(
  request: ApiRequest,
  code: number,
  headers?: Readonly<Record<string, string | number>>,
): void {
  sendHead(request, code, headers);
  request.response.end();
}

/** Sends a body that is already encoded as text, such as JSON. */
export function sendText(request: ApiRequest, code: number, text: string | Buffer, contentType: string): void {
  const { response } = request;
  if (response.headersSent) return;
  const body = typeof text === "string" ? Buffer.from(text) : text;
  request.recordResponse(body);
  setWarnings(request);
  sendHead(request, code, { "Content-Type": contentType, "Content-Length": body.length });
  if (request.method === "HEAD") response.end();
  else response.end(body);
}

/** Sends plain text. */
export function sendPlainText(request: ApiRequest, code: number, text: string): void {
  if (!request.response.headersSent) request.response.setHeader("X-Content-Type-Options", "nosniff");
  sendText(request, code, text, "text/plain; charset=utf-8");
}

/**
 * Sends an error as a Status, in the format that the client requested, or as indented JSON if the server does not
 * support that format.
 *
 * Errors other than `StatusError` are sent as internal errors (500).
 *
 * @see apiserver pkg/endpoints/handlers/responsewriters ErrorNegotiated
 */
export function sendError(request: ApiRequest, error: unknown): void {
  const { status, retryAfterMs } = isStatusError(error) ? error : internalError(error);
  const { response } = request;
  if (retryAfterMs !== undefined && !response.headersSent)
    response.setHeader("Retry-After", String(Math.ceil(retryAfterMs / 1_000)));
  const code = status.code ?? 500;
  const wanted = negotiateError(request.header("accept"));
  if (wanted)
    sendText(request, code, encode(status, wanted.mediaType, wanted.pretty || request.pretty), wanted.mediaType);
  else sendText(request, code, stringifyJson(status, 2), "application/json");
}

/** Sets the `Warning` headers of the response. Has no effect once the headers have been sent. */
export function setWarnings(request: ApiRequest): void {
  const warnings = request.warnings.headers();
  if (warnings.length > 0) request.response.setHeader("Warning", warnings);
}

/** Sends `404 page not found` as text, for a path at which no API is served. */
export function sendPageNotFound(request: ApiRequest): void {
  sendPlainText(request, 404, "404 page not found\n");
}

/**
 * Returns the 404 error for a resource that the group version does not contain.
 *
 * @see apimachinery api/errors NewGenericServerResponse
 */
export const unknownResource = (): StatusError =>
  bare(404, "NotFound", "the server could not find the requested resource");

/**
 * Returns the 405 error for a verb that the resource does not support.
 *
 * @see apimachinery api/errors NewGenericServerResponse
 */
export const methodNotAllowed = (): StatusError =>
  bare(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");

/** Returns the 405 error for watching a computed resource. */
export const notWatchable = (resource: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `watch is not supported on resources of kind "${resource}"`,
    reason: "MethodNotAllowed",
    details: { kind: resource },
    code: 405,
  });

/** Returns a Status with empty `details`, because it does not refer to an object. */
export function bare(code: number, reason: string, message: string): StatusError {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details: {},
    code,
  };
  return new StatusError(status);
}

/** Returns the 403 error for creating a custom resource whose CRD is being deleted. */
export const createRefused = (resource: ServedResource, name: string): StatusError =>
  forbidden({ group: resource.group, resource: resource.resource }, name, resource.createRefusal ?? "");
