import type { CachedReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { HttpRequest } from "../endpoint/endpoint.ts";
import type { AdmissionRequest } from "../review/admission-review.ts";
import type { UserInfo } from "../review/user-info.ts";
import type { AdmissionResponse } from "./response.ts";

/** What handlers, defaulters and validators are given. */
export interface AdmissionContext {
  /** As it was sent. */
  readonly request: AdmissionRequest;
  /** Who makes the request. */
  readonly user: UserInfo;
  /** Nothing will be stored: do nothing either that would stay. */
  readonly dryRun: boolean;
  /**
   * Reads from the cache, writes to the API server.
   *
   * @throws {Error} if the server of webhooks was given none
   */
  readonly client: CachedReadWriter;
  /** Says with each line which request it is about. */
  readonly log: Logger;
  /** Shows a text to whoever made the request, whatever the answer. */
  readonly warn: (text: string) => void;
  /** Aborts when nobody waits for the answer any longer: the API server says for how long it does. */
  readonly signal: AbortSignal;
  /** The HTTP request: its headers, say. */
  readonly http: HttpRequest;
  /** What the option `contextFrom` made of it. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Answers a request. What it throws is an answer too: see `refusal`. */
export type AdmissionHandler = (context: AdmissionContext) => AdmissionResponse | Promise<AdmissionResponse>;

/** How requests are answered, whatever the handler. */
export interface HandlingOptions {
  /** A mistake in a handler (a `TypeError`, say) is answered with code 500. False: it ends the connection, and nothing else. Default true. */
  readonly recoverPanic?: boolean | undefined;
  /** Makes the logger that handlers find. It is also asked without a request. */
  readonly logConstructor?: ((base: Logger, request?: AdmissionRequest) => Logger) | undefined;
  /** Makes what handlers find as `values`. */
  readonly contextFrom?: ((http: HttpRequest) => Readonly<Record<string, unknown>>) | undefined;
}

/** The logger of a request, unless a `logConstructor` makes it. */
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
