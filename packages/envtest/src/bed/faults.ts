import type { Kind } from "@kubewright/apimachinery";

/**
 * What a request asks for, in the words of roles: a GET of one object is `get`, of many `list`, with `watch=true` `watch`.
 *
 * @see apiserver pkg/endpoints/request RequestInfo
 */
export type RequestVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** Which requests a fault is for; absent fields mean any. */
export interface RequestMatch {
  readonly kind?: Kind | undefined;
  readonly verb?: RequestVerb | undefined;
  /** Such as `status`; the empty string means the object itself. */
  readonly subResource?: string | undefined;
}

/** How the next matching requests are refused, with a `Status` as body. */
export interface Failure extends RequestMatch {
  /** HTTP status to answer with. */
  readonly status: number;
  /** How many requests. Default 1. */
  readonly count?: number | undefined;
  /** Of the Status: `Conflict`, `Invalid`. Default: the usual one of the HTTP status. */
  readonly reason?: string | undefined;
  /** Default: that a fault was asked for. */
  readonly message?: string | undefined;
  /** Sent as `Retry-After` too. Default: not said. */
  readonly retryAfterSeconds?: number | undefined;
}

/** How long matching requests are held back before they reach the server. */
export interface Delay extends RequestMatch {
  readonly ms: number;
  /** How many requests. Default all until `clear`. */
  readonly count?: number | undefined;
}

/** What may go wrong between a program and its API server. */
export interface Faults {
  /** Breaks the watches that run now, as a failing network would. How many there were. */
  cutWatches(kind?: Kind): number;
  /** Breaks every connection. */
  cutConnections(): void;
  /** Ends the watches that run now with an ERROR event, 410 Expired: their clients must list again. How many there were. */
  expireWatches(kind?: Kind): number;
  /** Answers the next requests with an error; they do not reach the server. */
  failNext(failure: Failure): void;
  /** Holds requests back before they reach the server. */
  delay(delay: Delay): void;
  /** Accepts requests and never answers, until `clear`. */
  hang(match?: RequestMatch): void;
  /** Refuses all connections, until `clear`. */
  refuseConnections(): Promise<void>;
  /**
   * Sets the server back to its state at a resource version, as restoring an old backup would: later writes are gone, their versions
   * are given anew, every connection is dropped.
   *
   * @throws {Error} where that state is forgotten
   * @throws {NotSupportedByTestBed} on the real server
   */
  goBackInTime(resourceVersion: string): Promise<void>;
  /** Ends all faults. */
  clear(): Promise<void>;
}
