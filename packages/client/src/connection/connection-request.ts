import type { ResponseHeaders } from "./exchange.ts";

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ConnectionRequest {
  /** Default `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Path below the server's, such as `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What is attempted, for error messages: `get Pod web/shop-0`. */
  readonly what?: string | undefined;
  /**
   * Called right before each try is handed to its socket, when it has waited for everything that there is to wait for; if it throws
   * the try is not made. Such requests go over HTTP/1.1: over HTTP/2 they would leave at the end of the event loop's turn only.
   */
  readonly beforeSending?: (() => void) | undefined;
}

export interface ConnectionResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The whole body, decompressed. */
  readonly body: Buffer;
}
