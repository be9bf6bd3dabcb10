import { getServers } from "node:dns";
import { isIPv6 } from "node:net";
import { isRecord } from "@kubewright/apimachinery";

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "INVALID_CA",
]);

const closed = new Set(["UND_ERR_SOCKET", "ERR_SSL_UNEXPECTED_EOF_WHILE_READING", "ERR_TLS_HANDSHAKE_CLOSED"]);

/** What went wrong below HTTP, in the words of Go's network libraries. */
export function transportErrorText(error: unknown): string {
  const failure = firstOf(error);
  if (!(failure instanceof Error)) return String(failure);
  const { code, address, port, hostname, cert } = failure as ErrorDetails;
  const at = address === undefined ? "" : ` ${address.includes(":") ? `[${address}]` : address}:${port ?? 0}`;
  if (code === undefined) return failure.message;
  if (code === "ECONNREFUSED") return `dial tcp${at}: connect: connection refused`;
  if (code === "EHOSTUNREACH") return `dial tcp${at}: connect: no route to host`;
  if (code === "ENETUNREACH") return `dial tcp${at}: connect: network is unreachable`;
  if (code === "ETIMEDOUT") return `dial tcp${at}: i/o timeout`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname ?? ""}${asked()}: no such host`;
  if (code === "EAI_AGAIN") return `dial tcp: lookup ${hostname ?? ""}${asked()}: server misbehaving`;
  if (code === "ECONNRESET" && !/disconnected before secure TLS/.test(failure.message))
    return "read: connection reset by peer";
  if (closed.has(code) || code === "ECONNRESET") return "EOF";
  if (untrusted.has(code)) return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return wrongHost(failure as ErrorDetails, cert?.subjectaltname);
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "EPROTO")
    return "http: server gave HTTP response to HTTPS client";
  return failure.message;
}

/** The server that names were asked of. */
function asked(): string {
  const [server] = getServers();
  if (server === undefined) return "";
  return ` on ${isIPv6(server) ? `[${server}]` : server}${/:\d+$/.test(server) && !isIPv6(server) ? "" : ":53"}`;
}

interface ErrorDetails {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

/** Several addresses were tried: Go tells about the first. */
function firstOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return firstOf(error.errors[0]);
  if (error instanceof Error && isRecord(error.cause) && !("code" in error)) return firstOf(error.cause);
  return error;
}

function wrongHost({ host = "" }: ErrorDetails, names: string | undefined): string {
  const start = "tls: failed to verify certificate: x509: ";
  const [addresses, hosts]: [string[], string[]] = [[], []];
  for (const entry of (names ?? "").split(", ")) {
    if (entry.startsWith("DNS:")) hosts.push(entry.slice(4));
    if (entry.startsWith("IP Address:")) addresses.push(entry.slice(11));
  }
  if (/^[\d.]+$|:/.test(host))
    return addresses.length === 0
      ? `${start}cannot validate certificate for ${host} because it doesn't contain any IP SANs`
      : `${start}certificate is valid for ${addresses.join(", ")}, not ${host}`;
  return hosts.length === 0
    ? `${start}certificate is not valid for any names, but wanted to match ${host}`
    : `${start}certificate is valid for ${hosts.join(", ")}, not ${host}`;
}
