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

/** Answers with an API object or any other JSON document. */
export function sendObject(
  request: ApiRequest,
  code: number,
  value: unknown,
  mediaType: MediaType = "application/json",
): void {
  sendText(request, code, encode(value, mediaType, request.pretty), mediaType);
}

/** Sends the code, the headers that were set, these, and those that every answer has. */
export function sendHead(
  { auditId, flowHeaders, response }: ApiRequest,
  code: number,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const caching = response.getHeader("Cache-Control") === undefined ? { "Cache-Control": "no-cache, private" } : {};
  response.writeHead(code, { "Audit-Id": auditId, ...caching, ...headers, ...flowHeaders });
}

/** Answers without a body. */
export function sendEmpty(
  request: ApiRequest,
  code: number,
  headers?: Readonly<Record<string, string | number>>,
): void {
  sendHead(request, code, headers);
  request.response.end();
}

/** Answers with JSON text that is there already. */
export function sendText(request: ApiRequest, code: number, text: string | Buffer, contentType: string): void {
  const { response } = request;
  if (response.headersSent) return;
  const body = typeof text === "string" ? Buffer.from(text) : text;
  request.answeredWith(body);
  setWarnings(request);
  sendHead(request, code, { "Content-Type": contentType, "Content-Length": body.length });
  if (request.method === "HEAD") response.end();
  else response.end(body);
}

/** Answers with text for people. */
export function sendPlainText(request: ApiRequest, code: number, text: string): void {
  if (!request.response.headersSent) request.response.setHeader("X-Content-Type-Options", "nosniff");
  sendText(request, code, text, "text/plain; charset=utf-8");
}

/**
 * Answers with the Status that an error stands for, in the format that was asked for; indented JSON where none of them is to be had.
 * Anything that is no `StatusError` is our fault: 500.
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

/** Must be called before headers go out; afterwards it does nothing. */
export function setWarnings(request: ApiRequest): void {
  const warnings = request.warnings.headers();
  if (warnings.length > 0) request.response.setHeader("Warning", warnings);
}

/** `404 page not found` as text: no API is served under this path. */
export function sendPageNotFound(request: ApiRequest): void {
  sendPlainText(request, 404, "404 page not found\n");
}

/** 404: nothing of that name is served in the group and version. @see apimachinery api/errors NewGenericServerResponse */
export const unknownResource = (): StatusError =>
  bare(404, "NotFound", "the server could not find the requested resource");

/** 405: the resource is there, and does not know this verb. @see apimachinery api/errors NewGenericServerResponse */
export const methodNotAllowed = (): StatusError =>
  bare(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");

/** 405: a resource that is computed cannot be watched. */
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

/** A Status about no object in particular: `details` is there and empty. */
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

/** 403: the definition of this custom resource is on its way out. */
export const createRefused = (resource: ServedResource, name: string): StatusError =>
  forbidden({ group: resource.group, resource: resource.resource }, name, resource.createRefusal ?? "");
