import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import { boundedText, within } from "@kubewright/apiserver/http";
import type { Clock } from "@kubewright/clock";
import { countSeparators } from "@kubewright/codec";
import type { Address, ExtensionEnd } from "./extension-end.ts";
import { type HeaderValues, identityHeaders } from "./forwarded-headers.ts";

export interface BoundedGet {
  readonly path: string;
  readonly user: RequestUser;
  readonly headers?: HeaderValues | undefined;
  /** Address to connect to. Default: the current address of the APIService. */
  readonly address?: Address | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface BoundedResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Limits for a document. The number of values is limited in addition to the size, because an empty list takes 30 times
 * as much memory as its text.
 */
export interface DocumentLimits {
  readonly maxBytes: number;
  /** Maximum number of values in lists and objects. */
  readonly maxValues: number;
}

/**
 * Requests a JSON document from an extension server, as this server's own user.
 *
 * @throws {Error} if the server does not respond in time, or its response is too large or has too many values
 */
export async function boundedGet(
  end: ExtensionEnd,
  { maxBytes, maxValues, ...options }: BoundedGet & DocumentLimits,
): Promise<BoundedResponse> {
  return request(end, options, async (answer) => {
    const text = await boundedText(answer, maxBytes);
    if (countSeparators(text, maxValues) > maxValues)
      throw new Error(`the response contains more than ${maxValues} values`);
    return { code: answer.statusCode ?? 0, headers: answer.headers, text };
  });
}

/** Returns a response's status code without reading its body. @throws {Error} if the server does not respond in time */
export async function statusCodeOf(end: ExtensionEnd, options: BoundedGet): Promise<number> {
  return request(end, options, async (answer) => {
    answer.destroy();
    return answer.statusCode ?? 0;
  });
}

function request<T>(end: ExtensionEnd, options: BoundedGet, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
  const { clock, headers, path, signal: stopping, timeoutMs, user } = options;
  return within(clock, timeoutMs, async (late) => {
    const signal = AbortSignal.any([late, stopping]);
    const address = options.address ?? (await end.address());
    const all = { ...headers, "accept-encoding": "identity", ...identityHeaders(user) };
    const sent = end.send({ address, method: "GET", path, headers: all, signal });
    try {
      return await read(await responseTo(sent));
    } catch (error) {
      sent.destroy();
      throw signal.aborted && signal.reason instanceof Error ? signal.reason : error;
    }
  });
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.on("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(new Error("the server switched to a different protocol"));
    });
    sent.end();
  });
}
