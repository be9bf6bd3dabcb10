import type { ClientRequest, IncomingMessage } from "node:http";
import { type ApiRequest, sendPlainText } from "@kubewright/apiserver/endpoints";
import { transportErrorText } from "@kubewright/apiserver/webhook";
import type { Clock } from "@kubewright/clock";
import type { Address, ExtensionEnd } from "../transport/extension-end.ts";
import {
  forwardedHeaders,
  type HeaderValues,
  type IdentityHeaders,
  identityHeaders,
  responseHeaders,
} from "../transport/forwarded-headers.ts";
import { joinConnections } from "./join-connections.ts";
import { targetPath } from "./target-path.ts";
import { Upgraded } from "./upgraded.ts";

/**
 * Timeout for discovery requests. It is short, because discovery delays every client.
 *
 * @see apiserver pkg/util/proxy aggregatedDiscoveryTimeout
 */
const discoveryTimeoutMs = 5_000;
const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface ProxyParts {
  readonly clock: Clock;
  /** Headers in which this server itself accepts user information from a front proxy. */
  readonly identity: IdentityHeaders;
}

/**
 * Forwards a request to an extension server, and forwards the response as it arrives. Headers in the forwarded request
 * identify the user; the front proxy's certificate proves to the extension server that this server set them.
 *
 * @see kube-aggregator pkg/apiserver/handler_proxy.go, apimachinery pkg/util/proxy UpgradeAwareHandler
 */
export async function proxyRequest(request: ApiRequest, end: ExtensionEnd, parts: ProxyParts): Promise<void> {
  let address: Address;
  try {
    address = await end.address();
  } catch {
    sendPlainText(request, 503, "service unavailable\n");
    return;
  }
  const gone = new AbortController();
  const isDiscovery = !request.info.isResourceRequest && request.info.path.split("/").filter(Boolean).length === 3;
  const late = isDiscovery
    ? parts.clock.after(discoveryTimeoutMs, () => gone.abort(new Error("context deadline exceeded")), { unref: true })
    : undefined;
  const signal = AbortSignal.any([request.signal, gone.signal]);
  try {
    const outcome = await ask(request, end, address, signal, parts);
    if (outcome instanceof Upgraded) joinConnections(request, outcome);
    else await answer(request, outcome, signal);
  } catch (error) {
    if (request.isOver) return;
    if (request.response.headersSent) return request.cut();
    const why = gone.signal.aborted ? "context deadline exceeded" : reasonOf(error);
    sendPlainText(request, 503, `${why}\n`);
  } finally {
    late?.cancel();
  }
}

/** Error for a response from an extension server that does not match the request. */
class InvalidResponse extends Error {}

const reasonOf = (error: unknown): string =>
  error instanceof InvalidResponse ? error.message : `error trying to reach service: ${transportErrorText(error)}`;

async function ask(
  request: ApiRequest,
  end: ExtensionEnd,
  address: Address,
  signal: AbortSignal,
  { identity }: ProxyParts,
): Promise<IncomingMessage | Upgraded> {
  const { incoming, info, method, query } = request;
  const isUpgrade = wantsUpgrade(request);
  const path = targetPath(info.path, query);
  const headers: HeaderValues = {
    ...forwardedHeaders(incoming.headers, identity),
    ...forwardingHeaders(request, path),
    ...(isUpgrade ? { connection: "Upgrade", upgrade: request.header("upgrade") ?? "" } : {}),
    ...identityHeaders(request.user),
  };
  const { "content-length": length, "transfer-encoding": coding } = incoming.headers;
  const hasBody = length !== undefined || coding !== undefined;
  const isEmpty = repeatable.has(method) && !hasBody;
  // without a header that announces the body, the extension server would read the body as another request; HTTP/2 requests may
  // have a body without a length
  if (isUpgrade) delete headers["content-length"];
  else if (length === undefined && !isEmpty && (hasBody || incoming.stream)) headers["transfer-encoding"] = "chunked";
  for (let hasFailed = false; ; hasFailed = true) {
    const sent = end.send({ address, method, path, headers, signal });
    const outcome = outcomeOf(sent, isUpgrade);
    if (isEmpty || isUpgrade) sent.end();
    else await Promise.race([sendBody(request, sent), outcome]);
    try {
      return await outcome;
    } catch (error) {
      // retry once if the extension server closed a persistent connection while the request was in transit
      if (hasFailed || !isEmpty || isUpgrade || !sent.reusedSocket || signal.aborted) throw error;
    }
  }
}

const wantsUpgrade = (request: ApiRequest): boolean =>
  request.response.takeOver !== undefined && /(^|,)\s*upgrade\s*(,|$)/i.test(request.header("connection") ?? "");

function forwardingHeaders({ auditId, incoming }: ApiRequest, path: string): HeaderValues {
  const { headers, socket } = incoming;
  const before = headers["x-forwarded-for"];
  const from = [...(before === undefined ? [] : [String(before)]), socket?.remoteAddress ?? ""].filter(Boolean);
  const host = headers.host ?? headers[":authority"];
  const question = path.indexOf("?");
  return {
    "audit-id": auditId,
    "x-forwarded-uri": question < 0 ? path : path.slice(0, question),
    "x-forwarded-proto": "https",
    ...(from.length > 0 ? { "x-forwarded-for": from.join(", ") } : {}),
    ...(host === undefined ? {} : { "x-forwarded-host": String(host) }),
  };
}

function outcomeOf(sent: ClientRequest, isUpgrade: boolean): Promise<IncomingMessage | Upgraded> {
  const outcome = new Promise<IncomingMessage | Upgraded>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (upstream) => {
      const { statusCode = 0 } = upstream;
      if (!isUpgrade || statusCode >= 400) return resolve(upstream);
      upstream.destroy();
      return reject(new InvalidResponse(`invalid upgrade response: status code ${statusCode}`));
    });
    sent.on("upgrade", (upstream, connection, head) => {
      if (isUpgrade) return resolve(new Upgraded(upstream, connection, head));
      connection.destroy();
      return reject(new InvalidResponse("the server switched protocols without a request to do so"));
    });
  });
  outcome.catch(() => {}); // the error is reported to its callers
  return outcome;
}

/** Forwards the request's body as it arrives, but no faster than the extension server reads it. */
async function sendBody({ incoming }: ApiRequest, sent: ClientRequest): Promise<void> {
  for await (const chunk of incoming) {
    if (sent.destroyed) return;
    if (sent.write(chunk as Buffer)) continue;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        sent.off("drain", done);
        sent.off("close", done);
        resolve();
      };
      sent.on("drain", done);
      sent.on("close", done);
    });
  }
  sent.end();
}

async function answer(request: ApiRequest, upstream: IncomingMessage, signal: AbortSignal): Promise<void> {
  const { response } = request;
  const { headers, statusCode: code = 502 } = upstream;
  if (code >= 300 && code <= 399 && headers.location) {
    upstream.destroy();
    const text = "the backend attempted to redirect this request, which is not permitted";
    sendPlainText(request, 502, text);
    return;
  }
  for (const [name, value] of Object.entries(responseHeaders(headers))) response.setHeader(name, value);
  response.writeHead(code, { "Audit-Id": request.auditId, ...request.flowHeaders });
  request.responseStarted();
  response.flushHeaders?.();
  for await (const chunk of upstream) {
    if (signal.aborted) break;
    response.write(chunk as Buffer);
    await request.drained();
  }
  if (!upstream.complete || signal.aborted) request.cut();
  else response.end();
}
