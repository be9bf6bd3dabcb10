import { isRecord, parseJsonNumbers, type Status, StatusError } from "@kubewright/apimachinery";
import type { StreamedResponse } from "./exchange.ts";

/**
 * Parses a response body, which must be a JSON object.
 *
 * @param what description of the call, for error messages
 * @throws {Error} if the body is not a JSON object
 */
export function objectIn(body: Buffer, what: string): object {
  let answer: unknown;
  try {
    answer = parseJsonNumbers(body.toString());
  } catch (error) {
    throw new Error(`${what}: the response is not JSON`, { cause: error });
  }
  if (isRecord(answer)) return answer;
  throw new Error(`${what}: the response is ${jsonTypeOf(answer)}, not an object`);
}

/** Validates the items of a list response. @throws {Error} if an item is not an object; the message describes the first such item */
export function checkItems(items: unknown, what: string): void {
  if (items === undefined || items === null) return;
  if (!Array.isArray(items)) throw new Error(`${what}: "items" in the response is ${jsonTypeOf(items)}, not a list`);
  const at = items.findIndex((item) => !isRecord(item));
  if (at >= 0) throw new Error(`${what}: items[${at}] in the response is ${jsonTypeOf(items[at])}, not an object`);
}

/** Returns the type of a JSON value, for messages that cannot quote the value because it may be long. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

interface ReceivedResponse {
  readonly status: number;
  readonly headers: StreamedResponse["headers"];
  readonly body: Buffer;
}

/** Description of the request, used if the server sent no Status. */
interface Attempt {
  readonly method?: string | undefined;
  readonly path: string;
  readonly what?: string | undefined;
}

/**
 * Returns the error for an unsuccessful response: the server's own Status if the body contains one, otherwise a Status derived from the
 * HTTP status code.
 *
 * @see apimachinery api/errors NewGenericServerResponse
 */
export function statusErrorFrom(answer: ReceivedResponse, attempt: Attempt): StatusError {
  const own = statusOf(answer.body);
  if (own) return new StatusError({ ...own, code: own.code ?? answer.status });

  const text = answer.body.subarray(0, 2_048).toString().trim();
  const retryAfterSeconds = Number(answer.headers["retry-after"]);
  const { reason, message } = described(answer.status, text);
  const fullMessage =
    text === "" ? message : `${message} (${attempt.method?.toLowerCase() ?? "get"} ${attempt.path}): ${text}`;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: attempt.what ? `${attempt.what}: ${fullMessage}` : fullMessage,
    ...(reason ? { reason } : {}),
    details: {
      ...(text === "" ? {} : { causes: [{ reason: "UnexpectedServerResponse", message: text }] }),
      ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    },
    code: answer.status,
  });
}

function statusOf(body: Buffer): Status | undefined {
  if (body[0] !== 0x7b) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString());
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined; // a proxy's HTML page or a truncated response; its status code describes it
  }
}

const isStatus = (value: unknown): value is Status =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "Status" && "apiVersion" in value;

function described(code: number, text: string): { readonly reason?: string; readonly message: string } {
  switch (code) {
    case 400:
      return { reason: "BadRequest", message: "the server rejected our request for an unknown reason" };
    case 401:
      return { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" };
    case 403:
      return { reason: "Forbidden", message: text === "" ? "the server refused the request" : "forbidden" };
    case 404:
      return { reason: "NotFound", message: "the server could not find the requested resource" };
    case 405:
      return { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" };
    case 406:
      return {
        reason: "NotAcceptable",
        message: "the server was unable to respond with a content type that the client supports",
      };
    case 409:
      return { reason: "Conflict", message: "the server reported a conflict" };
    case 410:
      return { reason: "Gone", message: "the server no longer has the requested resource" };
    case 413:
      return { reason: "RequestEntityTooLarge", message: "the request is too large for the server" };
    case 415:
      return { reason: "UnsupportedMediaType", message: "the body of the request was in an unknown format" };
    case 422:
      return { reason: "Invalid", message: "the server rejected our request due to an error in our request" };
    case 429:
      return {
        reason: "TooManyRequests",
        message: "the server has received too many requests and has asked us to try again later",
      };
    case 500:
      return { reason: "InternalError", message: "an error on the server has prevented the request from succeeding" };
    case 503:
      return { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" };
    case 504:
      return {
        reason: "Timeout",
        message:
          "the server was unable to return a response in the time allotted, but may still be processing the request",
      };
    default:
      return { message: `the server responded with the status code ${code} but did not return more information` };
  }
}
