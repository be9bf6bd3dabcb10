import { errorText, isPanic, panicText } from "@kubewright/log";
import { type Deadline, DeadlineError, startDeadline } from "../endpoint/deadline.ts";
import type { Endpoint, EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";
import { failedCall } from "../endpoint/failed-call.ts";
import { BodyError, readJsonBody } from "../endpoint/read-body.ts";
import { admissionV1, readAdmissionReview, writeAdmissionReview } from "../review/admission-review.ts";
import { type AdmissionHandler, type HandlingOptions, requestLogger } from "./admission-context.ts";
import { CallContext } from "./call-context.ts";
import { refusal } from "./refusal.ts";
import { type AdmissionResponse, completed, errored, withWarnings } from "./response.ts";

const maxBytes = 7 * 1024 * 1024;

/** Options for an admission endpoint: its path and limits. */
export interface AdmissionEndpointOptions extends HandlingOptions {
  readonly path: string;
  /** See {@link Endpoint}. Default: the path. */
  readonly purpose?: string | undefined;
}

/**
 * Responds to AdmissionReviews in versions v1 and v1beta1. Errors in a request are reported in the review, with HTTP
 * status 200. If a call cannot be served because of overload or a timeout, the status is 429, 408 or 504, so that
 * `failurePolicy` applies.
 *
 * @see controller-runtime pkg/webhook/admission Webhook
 */
export class AdmissionEndpoint implements Endpoint {
  readonly path: string;
  readonly purpose: string;
  readonly handler: AdmissionHandler;
  readonly options: HandlingOptions;

  constructor({ path, purpose = path, ...options }: AdmissionEndpointOptions, handler: AdmissionHandler) {
    this.path = path;
    this.purpose = purpose;
    this.handler = handler;
    this.options = options;
  }

  async answer(call: HttpCall, parts: EndpointParts): Promise<HttpResponse> {
    using deadline = startDeadline(call, parts.clock);
    const lease = parts.bodies.lease(call.peer ?? "");
    try {
      const reading = { maxBytes, lease, clock: parts.clock };
      const text = await readJsonBody({ ...call, signal: deadline.signal }, reading);
      const { apiVersion, request } = readAdmissionReview(text);
      const context = new CallContext(request, call, { signal: deadline.signal, parts, options: this.options });
      const handled = this.#handle(context, parts).finally(() => lease.release());
      const response = await inTime(handled, deadline, context, parts);
      return { status: 200, body: writeAdmissionReview(apiVersion, response) };
    } catch (err) {
      if (err instanceof UnrecoveredPanic) throw err;
      const failed = failedCall(err);
      if (failed && err instanceof DeadlineError) return failed; // the handler may still be running and holds its lease until it ends
      lease.release();
      const { logConstructor = requestLogger } = this.options;
      const log = logConstructor(parts.logger);
      if (failed) {
        log.debug({ err, path: this.path }, "request not served"); // only at debug level: any client could fill the log
        return failed;
      }
      parts.failures.error(log, { err, path: this.path }, "bad request");
      const code = err instanceof BodyError ? err.code : 400;
      const body = writeAdmissionReview(admissionV1, completed(errored(code, err), ""));
      return { status: 200, body, closes: err instanceof BodyError && err.isUnread };
    }
  }

  /** Returns the response to send. */
  async #handle(context: CallContext, parts: EndpointParts): Promise<WireResponse> {
    const { request, warnings } = context;
    try {
      const response = await this.handler(context);
      return completed(withWarnings(response, ...warnings), request.uid);
    } catch (err) {
      const response = isPanic(err) ? this.#recovered(err, context, parts) : refusal(err, request);
      return completed(withWarnings(response, ...warnings), request.uid);
    }
  }

  #recovered(err: unknown, context: CallContext, parts: EndpointParts): AdmissionResponse {
    parts.metrics.panics.inc();
    context.log.error({ err, path: this.path }, "observed a panic in a webhook");
    if (this.options.recoverPanic === false) throw new UnrecoveredPanic(errorText(err), { cause: err });
    return errored(500, panicText(err));
  }
}

type WireResponse = ReturnType<typeof completed>;

class UnrecoveredPanic extends Error {
  override readonly name = "UnrecoveredPanic";
}

/**
 * Resolves with the response unless the deadline passes first; a later result or error is ignored.
 *
 * @throws {DeadlineError} after the deadline
 */
async function inTime(
  handled: Promise<WireResponse>,
  deadline: Deadline,
  context: CallContext,
  { failures }: EndpointParts,
): Promise<WireResponse> {
  handled.catch(() => {});
  try {
    return await Promise.race([handled, deadline.over]);
  } catch (err) {
    if (err instanceof UnrecoveredPanic) throw err;
    const message = err instanceof DeadlineError ? "a webhook took too long" : "the caller has disconnected";
    failures.error(context.log, { err }, message);
    if (err instanceof DeadlineError) throw err;
    return completed(errored(504, err), context.request.uid);
  }
}
