import type { CachedReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { HttpRequest } from "../endpoint/endpoint.ts";
import type { AdmissionRequest } from "../review/admission-review.ts";
import type { UserInfo } from "../review/user-info.ts";
import type { AdmissionResponse } from "./response.ts";

/** Context passed to handlers, defaulters and validators. */
export interface AdmissionContext {
  /** The request as sent by the API server. */
  readonly request: AdmissionRequest;
  /** The user who made the request. */
  readonly user: UserInfo;
  /** True if nothing will be stored. The webhook must then have no lasting side effects. */
  readonly dryRun: boolean;
  /**
   * Client that reads from the cache and writes to the API server.
   *
   * @throws {Error} if the webhook server has no client
   */
  readonly client: CachedReadWriter;
  /** Logger that adds the request's identity to each line. */
  readonly log: Logger;
  /** Adds a warning to the response. The client sees the warning whether or not the request is allowed. */
  readonly warn: (text: string) => void;
  /** Aborts when the caller stops waiting for the response. The API server sends its timeout with each request. */
  readonly signal: AbortSignal;
  /** The HTTP request, for example for its headers. */
  readonly http: HttpRequest;
  /** Values returned by the `contextFrom` option. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Handles a request. If it throws, the error is converted to a response; see `refusal`. */
export type AdmissionHandler = (context: AdmissionContext) => AdmissionResponse | Promise<AdmissionResponse>;

/** Options that control how requests are handled, for any handler. */
export interface HandlingOptions {
  /**
   * True to respond with code 500 after a programming error in a handler (such as a `TypeError`). False to close the connection without a
   * response. Default true.
   */
  readonly recoverPanic?: boolean | undefined;
  /** Creates the logger for handlers. The function is also called without a request. */
  readonly logConstructor?: ((base: Logger, request?: AdmissionRequest) => Logger) | undefined;
  /** Returns the `values` that handlers receive. */
  readonly contextFrom?: ((http: HttpRequest) => Readonly<Record<string, unknown>>) | undefined;
}

/** Returns the default logger for a request. */
export function requestLogger(base: Logger, request?: AdmissionRequest): Logger {
  if (!request) return base;
  const { namespace, name, resource, userInfo, uid } = request;
  const { group, version } = resource;
  return base.child({
    object: namespace === "" ? { name } : { namespace, name },
    namespace,
    name,
    resource: `${group === "" ? "" : `${group}/`}${version}, Resource=${resource.resource}`,
    user: userInfo.username,
    requestID: uid,
  });
}
