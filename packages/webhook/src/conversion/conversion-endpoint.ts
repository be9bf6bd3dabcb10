import { errorText, isPanic } from "@kubewright/log";
import { DeadlineError, startDeadline } from "../endpoint/deadline.ts";
import type { Endpoint, EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";
import { failedCall } from "../endpoint/failed-call.ts";
import { BodyError, readJsonBody } from "../endpoint/read-body.ts";
import {
  type ConversionRequest,
  type ConversionResult,
  readConversionReview,
  writeConversionReview,
} from "./conversion-review.ts";
import type { Converters } from "./convert-object.ts";

export const conversionPath = "/convert";

/** Maximum size of a request in bytes: more than a page of 500 objects needs. The API server converts all objects of a list in one call. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Responds to ConversionReviews. Conversion errors are reported in the review, with HTTP status 200. The status is 400
 * if a request is not a review, and 429, 408 or 504 if a call cannot be served because of overload or a timeout.
 *
 * @see controller-runtime pkg/webhook/conversion NewWebhookHandler
 */
export class ConversionEndpoint implements Endpoint {
  readonly path = conversionPath;
  readonly purpose = "conversion";
  readonly #converters: Converters;

  constructor(converters: Converters) {
    this.#converters = converters;
  }

  async answer(call: HttpCall, parts: EndpointParts): Promise<HttpResponse> {
    using deadline = startDeadline(call, parts.clock);
    const { signal } = deadline;
    const lease = parts.bodies.lease(call.peer ?? "");
    try {
      const text = await readJsonBody({ ...call, signal }, { maxBytes, lease, clock: parts.clock });
      const { apiVersion, request } = readConversionReview(text);
      const converted = this.#convert(request, signal, parts).finally(() => lease.release());
      const result = await Promise.race([converted, deadline.over]);
      return { status: 200, body: writeConversionReview(apiVersion, request.uid, result) };
    } catch (err) {
      const failed = failedCall(err);
      if (failed && err instanceof DeadlineError) {
        parts.failures.error(parts.logger, { err }, "a conversion took too long");
        return failed; // the lease is held until the conversion ends
      }
      lease.release();
      if (failed) {
        parts.logger.debug({ err, path: this.path }, "request not served");
        return failed;
      }
      parts.failures.error(parts.logger, { err }, "failed to read conversion request");
      const isUnread = err instanceof BodyError && err.isUnread;
      return { status: err instanceof BodyError ? err.code : 400, body: "", closes: isUnread };
    }
  }

  /** Converts the objects of a request. Never rejects. */
  async #convert(request: ConversionRequest, signal: AbortSignal, parts: EndpointParts): Promise<ConversionResult> {
    try {
      const objects: unknown[] = [];
      for (const object of request.objects) {
        signal.throwIfAborted();
        objects.push(await this.#converters.convert(object, request.desiredAPIVersion));
      }
      return { objects };
    } catch (err) {
      if (!isPanic(err)) {
        parts.failures.error(parts.logger, { err, requestID: request.uid }, "failed to convert");
        return { message: errorText(err) };
      }
      parts.metrics.conversionPanics.inc();
      parts.logger.error({ err, requestID: request.uid }, "observed a panic in a conversion");
      return { message: "internal error occurred during conversion" };
    }
  }
}
