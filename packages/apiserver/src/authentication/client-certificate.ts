import { createHash, X509Certificate } from "node:crypto";
import { type DetailedPeerCertificate, TLSSocket } from "node:tls";
import { systemClock } from "@kubewright/clock";
import { connectionOf, type RequestMessage } from "../http/messages.ts";
import type { UserInfo } from "../registry/strategy.ts";
import type { Authenticator, Identity } from "./authenticator.ts";
import { CertificateError, type CertificatePool } from "./certificate-pool.ts";

/**
 * Users by client certificate: the name is the common name, groups are the organizations. The TLS layer must ask for certificates.
 *
 * @param audiences those of the server: a certificate holds for them
 * @see apiserver pkg/authentication/request/x509
 */
export function clientCertificateAuthenticator(pool: CertificatePool, audiences?: readonly string[]): Authenticator {
  const known = new WeakMap<object, Identity | { readonly error: unknown }>();
  return (request) => {
    const chain = peerChain(request);
    if (!chain) return undefined;
    let judged = known.get(chain.connection);
    if (!judged) {
      try {
        pool.verifyClient(chain.certificates(), systemClock.now());
        judged = { user: userOf(chain.leaf), ...(audiences ? { audiences } : {}) };
      } catch (error) {
        judged = { error };
      }
      known.set(chain.connection, judged);
    }
    if ("error" in judged) throw judged.error;
    return judged;
  };
}

export interface PeerChain {
  /** The same for every request of a connection. */
  readonly connection: object;
  readonly leaf: X509Certificate;
  /** The client's certificate and what it sent along. */
  certificates(): X509Certificate[];
}

/** What the client showed while the connection was made; `undefined` where it showed nothing. */
export function peerChain(request: RequestMessage): PeerChain | undefined {
  const connection = connectionOf(request);
  if (!(connection instanceof TLSSocket)) return undefined;
  let shown = chains.get(connection);
  if (!shown) {
    const leaf = connection.getPeerX509Certificate();
    shown = leaf ? { connection, leaf, certificates: () => chainOf(connection, leaf) } : "nothing";
    chains.set(connection, shown);
  }
  return shown === "nothing" ? undefined : shown;
}

/** It does not change while the connection lasts. */
const chains = new WeakMap<TLSSocket, PeerChain | "nothing">();

function chainOf(socket: TLSSocket, leaf: X509Certificate): X509Certificate[] {
  const chain = [leaf];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true).issuerCertificate;
  while (next?.raw && !chain.some(({ raw }) => raw.equals(next?.raw ?? raw))) {
    chain.push(new X509Certificate(next.raw));
    next = next.issuerCertificate;
  }
  return chain;
}

function userOf(certificate: X509Certificate): UserInfo {
  const subject = subjectOf(certificate);
  const [name] = subject.get("CN") ?? [];
  if (!name) throw new CertificateError("x509: the certificate names no user");
  const fingerprint = createHash("sha256").update(certificate.raw).digest("hex");
  const uids = subject.get("1.3.6.1.4.1.57683.2") ?? [];
  return {
    name,
    ...(uids[0] ? { uid: uids[0] } : {}),
    groups: subject.get("O") ?? [],
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}

/** The parts of a certificate's subject by their names. */
export function subjectOf(certificate: X509Certificate): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const line of certificate.subject.split("\n")) {
    const equals = line.indexOf("=");
    const name = line.slice(0, equals);
    parts.set(name, [...(parts.get(name) ?? []), line.slice(equals + 1)]);
  }
  return parts;
}
