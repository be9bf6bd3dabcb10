import type { Logger } from "@kubewright/log";
import { DeadlineError, startDeadline } from "../endpoint/deadline.ts";
import type { Endpoint, EndpointParts, HttpCall, HttpRequest, HttpResponse } from "../endpoint/endpoint.ts";
import { failedCall } from "../endpoint/failed-call.ts";
import { BodyError, readJsonBody } from "../endpoint/read-body.ts";
import { type TokenReviewResponse, tokenErrored } from "./token-response.ts";
import { authenticationV1, readTokenReview, type TokenReviewRequest, writeTokenReview } from "./token-review.ts";

/** Context passed to token handlers. */
export interface TokenContext {
  readonly request: TokenReviewRequest;
  readonly http: HttpRequest;
  readonly log: Logger;
  /** Aborts when the caller stops waiting for the response. */
  readonly signal: AbortSignal;
}

/** Identifies a token's user. If it throws, the error is reported in the review. */
export type TokenHandler = (context: TokenContext) => TokenReviewResponse | Promise<TokenReviewResponse>;

const maxBytes = 1024 * 1024;

/**
 * Responds to TokenReviews in versions v1 and v1beta1. Errors in a request are reported in the review, with HTTP status
 * 200. If a call cannot be served because of overload or a timeout, the status is 429, 408 or 504.
 *
 * @see controller-runtime pkg/webhook/authentication Webhook
 */
export class TokenEndpoint implements Endpoint {
  readonly path: string;
  readonly purpose: string;
  readonly #handler: TokenHandler;

  constructor(path: string, handler: TokenHandler) {
    this.path = path;
    this.purpose = path;
    this.#handler = handler;
  }

  async answer(call: HttpCall, parts: EndpointParts): Promise<HttpResponse> {
    using deadline = startDeadline(call, parts.clock);
    const { signal } = deadline;
    const lease = parts.bodies.lease(call.peer ?? "");
    let asked: { readonly apiVersion: string; readonly uid: string } = { apiVersion: authenticationV1, uid: "" };
    try {
      const text = await readJsonBody({ ...call, signal }, { maxBytes, lease, clock: parts.clock });
      const { apiVersion, request } = readTokenReview(text);
      asked = { apiVersion, uid: request.uid };
      if (request.token === "") throw new Error("token is empty");
      const log = parts.logger.child({ path: this.path, requestID: request.uid });
      const handled = this.#handle({ request, http: call, log, signal }).finally(() => lease.release());
      handled.catch(() => {}); // nobody waits for a late result
      const response = await Promise.race([handled, deadline.over]);
      return { status: 200, body: writeTokenReview(apiVersion, request.uid, response) };
    } catch (err) {
      const failed = failedCall(err);
      const isLate = err instanceof DeadlineError; // the lease is then held until the handler ends
      if (!isLate) lease.release();
      if (failed && !isLate) {
        parts.logger.debug({ err, path: this.path }, "request not served");
        return failed;
      }
      parts.failures.error(parts.logger, { err, path: this.path }, "a token could not be reviewed");
      if (failed) return failed;
      const body = writeTokenReview(asked.apiVersion, asked.uid, tokenErrored(err));
      return { status: 200, body, closes: err instanceof BodyError && err.isUnread };
    }
  }

  /** Calls the handler, and converts a synchronous throw to a rejection. */
  async #handle(context: TokenContext): Promise<TokenReviewResponse> {
    return this.#handler(context);
  }
}
