import type { HttpHandler } from "../http/http-server.ts";
import type { RequestAuthenticator } from "../http/request-authenticator.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsHandlerOptions {
  readonly metrics: Metrics;
  readonly authenticator?: RequestAuthenticator | undefined;
  /** Further paths on the same server. */
  readonly extraHandlers?: ReadonlyMap<string, HttpHandler> | undefined;
}

/** Path of the metrics. */
export const metricsPath = "/metrics";

/** Serves the registry in text format at `/metrics`, and the extra handlers at their paths. All have the same authentication. */
export function metricsHandler({ metrics, authenticator, extraHandlers }: MetricsHandlerOptions): HttpHandler {
  return async (request, response, url) => {
    const admission = await authenticator?.admit(request, url.pathname);
    if (admission && admission.status !== 200) {
      response.writeHead(admission.status, { "content-type": "text/plain; charset=utf-8" });
      response.end(`${admission.message}\n`);
      return;
    }
    if (url.pathname === metricsPath) {
      const registry = await metrics.registry();
      const text = await registry.metrics();
      response.writeHead(200, { "content-type": registry.contentType });
      response.end(text);
      return;
    }
    const extra = extraHandlers?.get(url.pathname);
    if (extra) return extra(request, response, url);
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
    response.end("404 page not found\n");
  };
}
