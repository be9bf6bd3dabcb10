import type { StatusError } from "@kubewright/apimachinery";
import type { ConnectionError } from "./connection-error.ts";
import type { ResponseHeaders } from "./exchange.ts";

/** Query parameters; a list is sent as one parameter for each value, `undefined` not at all. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One request to an API server. */
export interface ConnectionRequest {
  /** Default `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Below the server's own path: `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Beside those of every request (`accept`, credentials ...), which they override. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** When it aborts, the request is given up and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** When it aborts, the request is not sent again: what waits for its next try is answered with what the last one came to. */
  readonly retryUntil?: AbortSignal | undefined;
  /** Called before the wait for another try, with what the last one came to. */
  readonly onRetry?: ((error: StatusError | ConnectionError) => void) | undefined;
  /** What is attempted, for error messages: `get Pod web/shop-0`. */
  readonly what?: string | undefined;
  /**
   * Called right before each try is handed to its socket, when there is nothing left to wait for; if it throws, the try is not made.
   * Such requests go over HTTP/1.1: over HTTP/2 they would leave only at the end of the event loop's turn.
   */
  readonly beforeSending?: (() => void) | undefined;
}

/** An answer whose body has arrived. */
export interface ConnectionResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ResponseHeaders;
  /** The whole body, decompressed. */
  readonly body: Buffer;
}
