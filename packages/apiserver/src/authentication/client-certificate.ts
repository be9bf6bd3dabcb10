import { createHash, type X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { unauthorized } from "@kubewright/apimachinery";
import type { UserInfo } from "../registry/strategy.ts";
import type { Authenticator } from "./authenticator.ts";

const clientAuthUsage = "1.3.6.1.5.5.7.3.2";

/**
 * Users by client certificate: the name is the common name, groups are the organizations. The TLS layer must ask for certificates
 * and know the client CA.
 *
 * @see apiserver pkg/authentication/request/x509
 */
export function clientCertificateAuthenticator(): Authenticator {
  const known = new WeakMap<TLSSocket, UserInfo | undefined>();
  return (request) => {
    const socket = request.socket;
    if (!(socket instanceof TLSSocket)) return undefined;
    if (known.has(socket)) return known.get(socket);
    const user = userOf(socket);
    known.set(socket, user);
    return user;
  };
}

function userOf(socket: TLSSocket): UserInfo | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  if (!socket.authorized || !allowsClientAuth(certificate)) throw unauthorized();
  const subject = subjectOf(certificate);
  const [name] = subject.get("CN") ?? [];
  if (!name) throw unauthorized();
  const fingerprint = createHash("sha256").update(certificate.raw).digest("hex");
  return {
    name,
    groups: subject.get("O") ?? [],
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}

const allowsClientAuth = (certificate: X509Certificate): boolean =>
  (certificate.keyUsage ?? []).length === 0 || certificate.keyUsage.includes(clientAuthUsage);

function subjectOf(certificate: X509Certificate): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const line of certificate.subject.split("\n")) {
    const equals = line.indexOf("=");
    const name = line.slice(0, equals);
    parts.set(name, [...(parts.get(name) ?? []), line.slice(equals + 1)]);
  }
  return parts;
}
