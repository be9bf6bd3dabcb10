import { Tracer } from "@kubewright/tracing";
import type { Endpoint, EndpointParts, HttpAnswer, HttpCall } from "../endpoint/endpoint.ts";

const tracer = new Tracer("@kubewright/webhook");

/** Whether calls are traced. */
export const isTraced = (): boolean => tracer.isOn;

/** A call as a span, `webhook PATH`: part of the API server's trace where that names one. */
export function tracedAnswer(
  method: string,
  endpoint: Endpoint,
  call: HttpCall,
  parts: EndpointParts,
): Promise<HttpAnswer> {
  const { path } = endpoint;
  const attributes = { "http.request.method": method, "http.route": path, "url.path": path };
  const parent = { traceparent: only(call, "traceparent"), tracestate: only(call, "tracestate") };
  return tracer.within(`webhook ${path}`, { kind: "server", attributes, parent }, async (span) => {
    const answer = await endpoint.answer(call, parts);
    span.set({ "http.response.status_code": answer.status });
    if (answer.status >= 500) span.fail(new Error(`answered ${answer.status}`));
    return answer;
  });
}

/** A header that is there once; who sends several wants something else. */
function only({ headers }: HttpCall, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value.length <= longestHeader ? value : undefined;
}

/** What W3C Trace Context asks everybody to take. */
const longestHeader = 512;
