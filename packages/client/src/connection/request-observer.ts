import type { Clock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
import { type ExchangeRequest, exchange, type StreamedResponse } from "./exchange.ts";

/** Method and host of a request. */
export interface ObservedRequest {
  readonly method: string;
  /** Host with its port: `10.96.0.1:443`. */
  readonly host: string;
}

/** Receives every try of every request of a connection. Must not throw. */
export interface RequestObserver {
  /** Called when the head of a response has arrived, or the try failed: then `code` is `<error>` instead of a status. */
  answered(
    request: ObservedRequest & {
      /** Path with its query. */
      readonly path: string;
      readonly code: string;
      readonly durationMs: number;
      readonly bytes: number;
    },
  ): void;
  /**
   * Called when the server refused a request (403). `said` is the server's message, from an authorizer, admission plugin, policy or
   * webhook.
   */
  forbidden?(request: ObservedRequest & { readonly path: string; readonly said: string }): void;
  /** Called when the whole body of a response has arrived. Not called for watches and logs. */
  received?(request: ObservedRequest & { readonly bytes: number }): void;
  /** Called when the host name of a server, without port, was looked up for a connection, successfully or not. */
  resolved?(lookup: { readonly host: string; readonly durationMs: number }): void;
  /** Called when a request is retried because of this status or `<error>`. */
  retried?(request: ObservedRequest & { readonly code: string }): void;
}

/** Code of a request without response. */
export const noAnswer = "<error>";

/** Calls {@link exchange} and notifies observers. */
export async function observedExchange(
  observers: ReadonlySet<RequestObserver>,
  clock: Clock,
  dispatcher: Dispatcher,
  request: ExchangeRequest,
): Promise<StreamedResponse> {
  if (observers.size === 0) return exchange(dispatcher, request);
  const began = clock.monotonic();
  const { method, path, body } = request;
  const tell = (code: string): void => {
    const durationMs = clock.monotonic() - began;
    const observed = { method, path, host: new URL(request.origin).host, code, durationMs, bytes: bytesOf(body) };
    for (const observer of observers) observer.answered(observed);
  };
  try {
    const response = await exchange(dispatcher, request);
    tell(String(response.status));
    return response;
  } catch (error) {
    tell(noAnswer);
    throw error;
  }
}

const bytesOf = (body: ExchangeRequest["body"]): number =>
  typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
