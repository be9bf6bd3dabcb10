import type { Logger } from "@kubewright/log";
import { startDeadline } from "../endpoint/deadline.ts";
import type { Endpoint, EndpointParts, HttpAnswer, HttpCall, HttpRequest } from "../endpoint/endpoint.ts";
import { BodyError, readJsonBody } from "../endpoint/read-body.ts";
import { type TokenResponse, tokenErrored } from "./token-response.ts";
import { authenticationV1, readTokenReview, type TokenRequest, writeTokenReview } from "./token-review.ts";

/** What handlers are given. */
export interface TokenContext {
  readonly request: TokenRequest;
  readonly http: HttpRequest;
  readonly log: Logger;
  /** Aborts when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
}

/** Says whose a token is. What it throws is told as the error of the review. */
export type TokenHandler = (context: TokenContext) => TokenResponse | Promise<TokenResponse>;

const maxBytes = 1024 * 1024;

/**
 * Answers TokenReviews, of v1 and v1beta1. Whatever is wrong with a request is told in a review, with HTTP status 200.
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

  async answer(call: HttpCall, parts: EndpointParts): Promise<HttpAnswer> {
    using deadline = startDeadline(call, parts.clock);
    const { signal } = deadline;
    const lease = parts.bodies.lease();
    let asked: { readonly apiVersion: string; readonly uid: string } = { apiVersion: authenticationV1, uid: "" };
    try {
      const { apiVersion, request } = readTokenReview(await readJsonBody({ ...call, signal }, maxBytes, lease));
      asked = { apiVersion, uid: request.uid };
      if (request.token === "") throw new Error("token is empty");
      const log = parts.logger.child({ path: this.path, requestID: request.uid });
      const handled = this.#handle({ request, http: call, log, signal }).finally(() => lease.release());
      handled.catch(() => {}); // what comes too late is nobody's
      const response = await Promise.race([handled, deadline.over]);
      return { status: 200, body: writeTokenReview(apiVersion, request.uid, response) };
    } catch (err) {
      lease.release();
      parts.logger.error({ err, path: this.path }, "a token could not be reviewed");
      const body = writeTokenReview(asked.apiVersion, asked.uid, tokenErrored(err));
      return { status: 200, body, closes: err instanceof BodyError && err.isUnread };
    }
  }

  /** A synchronous throw is a rejection like any other. */
  async #handle(context: TokenContext): Promise<TokenResponse> {
    return this.#handler(context);
  }
}
