/** A request from the same process. */
export interface InProcessRequest {
  readonly method: string;
  /** Path with its query, such as `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Headers, keyed by name. An array is treated as several headers with the same name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Body, which must not be modified afterwards. */
  readonly body?: Uint8Array | undefined;
  /** Signal that cancels the request, as if its connection was closed. The request or its body then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A response to a request from the same process. */
export interface InProcessResponse {
  readonly status: number;
  /** Headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The body as it is produced, which can be iterated once. Leaving the loop cancels the rest. The chunks must not be modified, because
   * several responses may share them.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Handles requests from the same process. Rejects with code `ECONNREFUSED` or `ECONNRESET`, like a failed network
 * connection.
 */
export type InProcessHandle = (request: InProcessRequest) => Promise<InProcessResponse>;
