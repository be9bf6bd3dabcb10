import { errorText, isPanic } from "@kubewright/log";
import { startDeadline } from "../endpoint/deadline.ts";
import type { Endpoint, EndpointParts, HttpAnswer, HttpCall } from "../endpoint/endpoint.ts";
import { BodyError, readJsonBody } from "../endpoint/read-body.ts";
import {
  type ConversionRequest,
  type ConversionResult,
  readConversionReview,
  writeConversionReview,
} from "./conversion-review.ts";
import type { Converters } from "./convert-object.ts";

export const conversionPath = "/convert";

/** A list is converted in one call. More than an API server asks for in pages of 500. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Answers ConversionReviews. What cannot be converted is told in the review, with HTTP status 200; what is no review, with 400.
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

  async answer(call: HttpCall, parts: EndpointParts): Promise<HttpAnswer> {
    using deadline = startDeadline(call, parts.clock);
    const { signal } = deadline;
    const lease = parts.bodies.lease();
    try {
      const text = await readJsonBody({ ...call, signal }, maxBytes, lease);
      const { apiVersion, request } = readConversionReview(text);
      const converted = this.#convert(request, signal, parts).finally(() => lease.release());
      const result = await Promise.race([converted, deadline.over.catch((err) => ({ message: errorText(err) }))]);
      return { status: 200, body: writeConversionReview(apiVersion, request.uid, result) };
    } catch (err) {
      lease.release();
      parts.logger.error({ err }, "failed to read conversion request");
      const isUnread = err instanceof BodyError && err.isUnread;
      return { status: err instanceof BodyError ? err.code : 400, body: "", closes: isUnread };
    }
  }

  /** Never rejects. */
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
        parts.logger.error({ err, requestID: request.uid }, "failed to convert");
        return { message: errorText(err) };
      }
      parts.metrics.conversionPanics.inc();
      parts.logger.error({ err, requestID: request.uid }, "observed a panic in a conversion");
      return { message: "internal error occurred during conversion" };
    }
  }
}
