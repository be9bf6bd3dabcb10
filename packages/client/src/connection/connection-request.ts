import type { StatusError } from "@kubewright/apimachinery";
import type { ConnectionError } from "./connection-error.ts";
import type { ResponseHeaders } from "./exchange.ts";

/** Query parameters; an array is sent as one parameter per value, `undefined` is not sent. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One request to an API server. */
export interface ConnectionRequest {
  /** Default `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Path relative to the server's own path: `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Headers in addition to those of every request (`accept`, credentials ...), which they override. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Cancels the request when it aborts; the request rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Ends retries when it aborts: a request that is waiting for its next try returns the result of the last one. */
  readonly retryUntil?: AbortSignal | undefined;
  /** Called before the wait for another try, with the error of the last one. */
  readonly onRetry?: ((error: StatusError | ConnectionError) => void) | undefined;
  /** Description of the attempted call, for error messages: `get Pod web/shop-0`. */
  readonly what?: string | undefined;
  /**
   * Called right before each try is written to its socket, when there is nothing left to wait for; if it throws, the try is not made. Such
   * requests use HTTP/1.1: with HTTP/2 they would be sent only at the end of the event loop's turn.
   */
  readonly beforeSending?: (() => void) | undefined;
}

/** A response whose body has arrived. */
export interface ConnectionResponse {
  readonly status: number;
  /** Headers, by lower-case name. */
  readonly headers: ResponseHeaders;
  /** The whole body, decompressed. */
  readonly body: Buffer;
}
