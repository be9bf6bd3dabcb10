import { type Span, Tracer } from "@kubewright/tracing";

const tracer = new Tracer("@kubewright/openwrt");

/** Whether calls are traced. */
export const isTraced = (): boolean => tracer.isOn;

interface ToldCall {
  readonly method: string;
  readonly path: string;
}

/** A call as a span, `cnf PUT firewall/zones`. Nothing of what is sent or answered is told: it may hold keys. */
export function tracedCall<T>({ method, path }: ToldCall, base: URL, work: (span: Span) => Promise<T>): Promise<T> {
  const attributes = {
    "http.request.method": method,
    "server.address": base.hostname,
    "server.port": Number(base.port) || (base.protocol === "https:" ? 443 : 80),
    "url.full": `${base.origin}${base.pathname}${path}`,
  };
  return tracer.within(`cnf ${method} ${collectionIn(path)}`, { kind: "client", attributes }, work);
}

/** `firewall/zones` of `sdewan/firewall/v1/zones/lan`, `services` of `sdewan/v1/services`. */
function collectionIn(path: string): string {
  const [, module = "", version, collection] = path.match(/^sdewan\/(?:([^/]+)\/)?(v\d+)\/([^/?]+)/) ?? [];
  if (version === undefined || collection === undefined) return path.split("/", 1)[0] ?? "";
  return module === "" ? collection : `${module}/${collection}`;
}
