import { createPrivateKey, X509Certificate } from "node:crypto";
import { type Clock, systemClock, untilAborted } from "@kubewright/clock";
import type { CertificateSource, KeyPair } from "./certificate-source.ts";

/** Options of {@link staticCertificate}, in PEM. */
export interface StaticCertificateOptions extends KeyPair {
  /** CA certificate for `caBundle`, in PEM. */
  readonly ca?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Serves a fixed pair. The readiness check fails once the certificate has expired.
 *
 * @throws {Error} if the certificate or the key is not PEM, or the two do not match
 */
export function staticCertificate({ cert, key, ca, clock = systemClock }: StaticCertificateOptions): CertificateSource {
  const certificate = read("cert", () => new X509Certificate(cert));
  if (!certificate.checkPrivateKey(read("key", () => createPrivateKey(key))))
    throw new Error("the private key does not match the certificate; pass a pair that was issued together");
  return {
    current: { cert, key },
    caBundle: ca,
    onChange: () => () => {},
    run: untilAborted,
    check: () => {
      if (Date.parse(certificate.validTo) < clock.now())
        throw new Error(`the webhook server's certificate expired at ${certificate.validTo}`);
    },
  };
}

function read<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new Error(`certificates.${what} is not valid PEM: ${String(cause)}`, { cause });
  }
}
