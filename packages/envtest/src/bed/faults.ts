import type { Kind } from "@kubewright/apimachinery";

/**
 * A request's verb, as used in roles: `get` for a GET of one object, `list` for a GET of several objects, and `watch`
 * for a GET with `watch=true`.
 *
 * @see apiserver pkg/endpoints/request RequestInfo
 */
export type RequestVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** Selects the requests that a fault affects. Fields that are not set match any value. */
export interface RequestMatch {
  readonly kind?: Kind | undefined;
  readonly verb?: RequestVerb | undefined;
  /** Subresource, such as `status`; empty for the object itself. */
  readonly subResource?: string | undefined;
}

/** An error response for the next matching requests. Its body is a `Status`. */
export interface Failure extends RequestMatch {
  /** HTTP status of the response. */
  readonly status: number;
  /** Number of requests that fail. Default 1. */
  readonly count?: number | undefined;
  /** Reason in the Status, such as `Conflict` or `Invalid`. Default: the usual reason for the HTTP status. */
  readonly reason?: string | undefined;
  /** Message in the Status. Default: a message that mentions the injected fault. */
  readonly message?: string | undefined;
  /** Retry delay in the Status, which is also sent as `Retry-After`. Default: none. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A delay for matching requests before they reach the server. */
export interface Delay extends RequestMatch {
  readonly ms: number;
  /** Number of requests that are delayed. Default: all until `clear` is called. */
  readonly count?: number | undefined;
}

/** Injects faults between a program and its API server. */
export interface Faults {
  /** Breaks all running watches, as a network failure would. Returns their number. */
  cutWatches(kind?: Kind): number;
  /** Breaks every connection. */
  cutConnections(): void;
  /** Ends all running watches with an ERROR event (410 Expired), which forces clients to list again. Returns their number. */
  expireWatches(kind?: Kind): number;
  /** Answers the next matching requests with an error. They do not reach the server. */
  failNext(failure: Failure): void;
  /** Delays matching requests before they reach the server. */
  delay(delay: Delay): void;
  /** Accepts matching requests, but does not respond to them until `clear` is called. */
  hang(match?: RequestMatch): void;
  /** Refuses all connections until `clear` is called. */
  refuseConnections(): Promise<void>;
  /**
   * Resets the server to its state at a resource version, as if a backup were restored: later writes are lost, their versions are assigned
   * again, and all connections are dropped.
   *
   * @throws {Error} if that state has been compacted
   * @throws {NotSupportedByTestBedError} on the real server
   */
  goBackInTime(resourceVersion: string): Promise<void>;
  /** Removes all faults. */
  clear(): Promise<void>;
}
