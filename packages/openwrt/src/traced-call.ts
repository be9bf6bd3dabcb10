import { type Span, Tracer } from "@kubewright/tracing";

const tracer = new Tracer("@kubewright/openwrt");

/** Reports whether calls are traced. */
export const isTraced = (): boolean => tracer.isOn;

interface TracedCall {
  readonly method: string;
  readonly path: string;
}

/**
 * Runs a call in a span, such as `cnf PUT firewall/zones`. The span contains nothing from the request or response, because these may
 * contain keys.
 */
export function tracedCall<T>({ method, path }: TracedCall, base: URL, work: (span: Span) => Promise<T>): Promise<T> {
  const attributes = {
    "http.request.method": method,
    "server.address": base.hostname,
    "server.port": Number(base.port) || (base.protocol === "https:" ? 443 : 80),
    "url.full": `${base.origin}${base.pathname}${path}`,
  };
  return tracer.within(`cnf ${method} ${collectionIn(path)}`, { kind: "client", attributes }, work);
}

/** Returns the collection in a path: `firewall/zones` for `sdewan/firewall/v1/zones/lan`, and `services` for `sdewan/v1/services`. */
function collectionIn(path: string): string {
  const [, module = "", version, collection] = path.match(/^sdewan\/(?:([^/]+)\/)?(v\d+)\/([^/?]+)/) ?? [];
  if (version === undefined || collection === undefined) return path.split("/", 1)[0] ?? "";
  return module === "" ? collection : `${module}/${collection}`;
}
