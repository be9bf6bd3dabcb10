import { Tracer } from "@kubewright/tracing";
import type { Endpoint, EndpointParts, HttpCall, HttpResponse } from "../endpoint/endpoint.ts";

const tracer = new Tracer("@kubewright/webhook");

/** Reports whether calls are traced. */
export const isTraced = (): boolean => tracer.isOn;

/**
 * Traces a call as a span named `webhook PATH`. If the request belongs to one of the API server's traces, the span
 * joins that trace.
 */
export function tracedResponse(
  method: string,
  endpoint: Endpoint,
  call: HttpCall,
  parts: EndpointParts,
): Promise<HttpResponse> {
  const { path } = endpoint;
  const attributes = { "http.request.method": method, "http.route": path, "url.path": path };
  const parent = { traceparent: only(call, "traceparent"), tracestate: only(call, "tracestate") };
  return tracer.within(`webhook ${path}`, { kind: "server", attributes, parent }, async (span) => {
    const answer = await endpoint.answer(call, parts);
    span.set({ "http.response.status_code": answer.status });
    if (answer.status >= 500) span.fail(new Error(`responded with status ${answer.status}`));
    return answer;
  });
}

/** Returns a header that is present exactly once. Repeated headers are not valid here. */
function only({ headers }: HttpCall, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value.length <= longestHeader ? value : undefined;
}

/** Maximum length of a header: the minimum that W3C Trace Context requires every implementation to accept. */
const longestHeader = 512;
