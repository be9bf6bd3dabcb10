import { createPrivateKey, X509Certificate } from "node:crypto";
import { type Clock, systemClock, untilAborted } from "@kubewright/clock";
import type { CertificatesDescription } from "./certificates-description.ts";

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Provides a server's certificate and ensures that callers trust it. */
export interface CertificateSource {
  /** The pair to serve now. Absent as long as there is none. */
  readonly current: KeyPair | undefined;
  /** CA certificates that callers must trust, in PEM. Absent if the source cannot provide them. */
  readonly caBundle?: string | undefined;
  /** Calls the listener with each new pair until the returned function is called. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  /** Keeps the pair up to date until the signal aborts. Runs on every replica. */
  run(signal: AbortSignal): Promise<void>;
  /** Describes the permissions that the program needs, if any. Makes no requests. */
  describe?(): CertificatesDescription;
  /** Checks readiness. @throws {Error} with the reason, if there is no pair or the pair is outdated */
  check(): void;
}

/**
 * Serves a fixed certificate and private key. The readiness check fails once the certificate has expired.
 *
 * @throws {Error} if the certificate or the key is not PEM, or if they do not match
 */
export function staticCertificate({
  cert,
  key,
  ca,
  clock = systemClock,
}: KeyPair & {
  /** CA certificate for `caBundle`, in PEM. */
  readonly ca?: string | undefined;
  readonly clock?: Clock | undefined;
}): CertificateSource {
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
