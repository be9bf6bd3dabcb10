import type { IncomingHttpHeaders } from "node:http";
import type { RequestUser } from "@kubewright/apiserver/authentication";

/** All values of HTTP headers, keyed by lower-case name. */
export type HeaderValues = Record<string, string | string[]>;

/** Hop-by-hop headers, which must not be forwarded. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "expect", // handled by this server
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** The headers in which a front proxy sends the user. If a client sends such headers, they are not forwarded. */
export interface IdentityHeaders {
  /** Complete header names, in upper or lower case. */
  readonly names: readonly string[];
  /** Prefixes of header names, in upper or lower case. */
  readonly prefixes: readonly string[];
}

const standardNames = ["x-remote-user", "x-remote-uid", "x-remote-group"];
const extraPrefix = "x-remote-extra-";
const tokenProtocol = /^base64url\.bearer\.authorization\.k8s\.io\./;

/**
 * Returns the headers to forward with a request: all except hop-by-hop headers and headers that identify or authenticate the client.
 *
 * @see net/http/httputil ReverseProxy, apiserver pkg/endpoints/filters WithAuthentication, WithImpersonation
 */
export function forwardedHeaders(headers: IncomingHttpHeaders, identity: IdentityHeaders): HeaderValues {
  const named = new Set([...listed(headers.connection), ...identity.names.map(small), ...standardNames]);
  const prefixes = [...identity.prefixes.map(small), extraPrefix, "impersonate-"];
  const kept: HeaderValues = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":") || name === "host" || name === "authorization") continue;
    if (hopByHop.has(name) || named.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (name === "sec-websocket-protocol") {
      const protocols = listed(String(value), (text) => text).filter((protocol) => !tokenProtocol.test(protocol));
      if (protocols.length > 0) kept[name] = protocols.join(", ");
    } else kept[name] = value;
  }
  return kept;
}

/** Returns the headers to forward with a response. */
export function responseHeaders(headers: IncomingHttpHeaders): HeaderValues {
  const named = new Set(listed(headers.connection));
  const kept: HeaderValues = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !hopByHop.has(name) && !named.has(name)) kept[name] = value;
  return kept;
}

/**
 * Returns the headers that identify a user to an extension server.
 *
 * @see client-go transport SetAuthProxyHeaders
 */
export function identityHeaders({ name, uid, groups, extra = {} }: RequestUser): HeaderValues {
  const userHeaders: HeaderValues = { "x-remote-user": asBytes(name) };
  if (uid) userHeaders["x-remote-uid"] = asBytes(uid);
  if (groups.length > 0) userHeaders["x-remote-group"] = groups.map(asBytes);
  for (const [key, values] of Object.entries(extra))
    if (values.length > 0) userHeaders[`X-Remote-Extra-${escapedKey(key)}`] = values.map(asBytes);
  return userHeaders;
}

/** Encodes text for a header as UTF-8. Node writes each character of a header as one byte. */
const asBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** Escapes the characters that a header name cannot contain, and `%` itself, as in URLs. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+\-.^_`|~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

const small = (name: string): string => name.toLowerCase();

const listed = (value: string | undefined, form: (text: string) => string = small): string[] =>
  (value ?? "")
    .split(",")
    .map((part) => form(part.trim()))
    .filter((part) => part !== "");
