import type { Clock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
import { type ExchangeRequest, exchange, type StreamedResponse } from "./exchange.ts";

/** Where a request went. */
export interface ObservedRequest {
  readonly method: string;
  /** With its port: `10.96.0.1:443`. */
  readonly host: string;
}

/** Hears of every request that a connection makes, each try of it. Must not throw. */
export interface RequestObserver {
  /** The head of an answer is there, or none came: `<error>` instead of a status. */
  answered(
    request: ObservedRequest & {
      /** With its query. */
      readonly path: string;
      readonly code: string;
      readonly durationMs: number;
      readonly bytes: number;
    },
  ): void;
  /** The server refused it (403). `said` is its message: an authorizer's, or that of a plugin, policy or webhook of its. */
  forbidden?(request: ObservedRequest & { readonly path: string; readonly said: string }): void;
  /** The whole body of an answer has arrived. Watches and logs have none. */
  received?(request: ObservedRequest & { readonly bytes: number }): void;
  /** The name of a server was looked up for a connection, in vain or not; without its port. */
  resolved?(lookup: { readonly host: string; readonly durationMs: number }): void;
  /** A request is sent again, because of this status or `<error>`. */
  retried?(request: ObservedRequest & { readonly code: string }): void;
}

/** Where nothing was answered. */
export const noAnswer = "<error>";

/** {@link exchange}, told of to observers. */
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
