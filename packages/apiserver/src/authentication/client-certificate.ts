import { createHash, type X509Certificate } from "node:crypto";
import { attributeTypes, commonNameOf, subjectValues } from "@kubewright/certificates";
import { systemClock } from "@kubewright/clock";
import type { Authenticator, Identity } from "./authenticator.ts";
import type { CertificatePool } from "./certificate-pool.ts";
import { ChainJudge, peerChain } from "./peer-chain.ts";
import type { RequestUser } from "./user/user-info.ts";

/** Options for authentication by client certificates. */
export interface ClientCertificateOptions {
  /** Audiences of the server, for which every accepted certificate is valid. */
  readonly audiences?: readonly string[] | undefined;
  /** Returns the wall clock time in milliseconds since 1970. */
  readonly nowMs?: (() => number) | undefined;
}

const uidType = "1.3.6.1.4.1.57683.2";

/**
 * Returns a method that authenticates requests by client certificate. The common name is the user's name, and the
 * organizations are the user's groups; a certificate without a common name does not identify a user. The TLS server
 * must request certificates from clients.
 *
 * @see apiserver pkg/authentication/request/x509
 */
export function clientCertificateAuthenticator(
  pool: CertificatePool,
  { audiences, nowMs = systemClock.now }: ClientCertificateOptions = {},
): Authenticator {
  const judge = new ChainJudge(pool, nowMs);
  const known = new WeakMap<object, { readonly identity: Identity | undefined }>();
  return (request) => {
    const chain = peerChain(request);
    if (!chain) return undefined;
    judge.check(chain);
    let named = known.get(chain.connection);
    if (!named) {
      const user = userOf(chain.leaf);
      named = { identity: user && { user, ...(audiences ? { audiences } : {}) } };
      known.set(chain.connection, named);
    }
    return named.identity;
  };
}

function userOf(certificate: X509Certificate): RequestUser | undefined {
  const name = commonNameOf(certificate);
  if (name === "") return undefined;
  const fingerprint = createHash("sha256").update(certificate.raw).digest("hex");
  const [uid] = subjectValues(certificate, uidType);
  return {
    name,
    ...(uid ? { uid } : {}),
    groups: subjectValues(certificate, attributeTypes.organization),
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}
