import { isRecord, quote } from "@kubewright/apimachinery";
import { readJsonText, readYamlText, UnreadableTextError, wrongType } from "@kubewright/codec";

/** An HTTP response whose body has been read as text. */
export interface TextResponse {
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
}

const longestText = 2_048;
/** Maximum length of a response in YAML, which takes much longer to parse than JSON. Webhooks respond in JSON. */
const longestYaml = 256 * 1024;

/**
 * Returns the error message for a response whose status code is not 2xx. The message is the same as in upstream's
 * client.
 *
 * @see client-go rest/request.go transformResponse, apimachinery api/errors NewGenericServerResponse
 */
export function failureText({ code, contentType, text }: TextResponse): string {
  const status = statusIn(text);
  if (status) return status;
  const isText = contentType === "" || contentType.startsWith("text/");
  const message = isText ? text.trim().slice(0, longestText) : "unknown";
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
    case 406:
    case 415:
      return message;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be processing the request";
    default:
      return code >= 500
        ? `an error on the server (${quote(message)}) has prevented the request from succeeding`
        : `the server responded with the status code ${code} but did not return more information`;
  }
}

function statusIn(text: string): string | undefined {
  try {
    const value = readJsonText(text).value;
    if (!isRecord(value) || value.kind !== "Status" || value.status === "Success") return undefined;
    return typeof value.message === "string" && value.message !== "" ? value.message : undefined;
  } catch {
    return undefined; // the response is not JSON, so its text is reported
  }
}

/**
 * Returns the object in a response whose status code is 2xx.
 *
 * @throws {Error} with upstream's message if the response does not contain an object
 */
export function objectIn({ code, contentType, text }: TextResponse): Readonly<Record<string, unknown>> {
  if (text === "")
    throw new Error(
      `0-length response with status code: ${code} and content type: ${contentType || "application/json"}`,
    );
  if (contentType !== "" && contentType.split(";")[0]?.trim() === "")
    throw new Error("Internal error occurred: mime: no media type");
  const isJson = /^\s*\{/.test(text);
  if (!isJson && text.length > longestYaml)
    throw new Error(`the response cannot be read: it is not JSON and longer than ${longestYaml} characters`);
  let value: unknown;
  try {
    value = (isJson ? readJsonText(text) : readYamlText(text)).value;
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    throw new Error(`the response cannot be read: ${error.message}`);
  }
  if (value === null) return {};
  if (isRecord(value)) return value;
  throw new Error(`the response cannot be read: ${wrongType("", "object", value)}`);
}
