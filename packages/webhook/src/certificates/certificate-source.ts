import type { CertificatesDescription } from "./certificates-description.ts";

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Source of a server's certificate, which also makes callers trust it. */
export interface CertificateSource {
  /** The pair to serve now. Absent as long as there is none. */
  readonly current: KeyPair | undefined;
  /** CA certificates that callers must trust, in PEM. Absent if the source does not know them. */
  readonly caBundle?: string | undefined;
  /** Calls the listener with each new pair until the returned function is called. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  /** Keeps the pair up to date until the signal aborts. Runs on every replica. */
  run(signal: AbortSignal): Promise<void>;
  /** Describes the permissions that the program needs, if any. Makes no requests. */
  describe?(): CertificatesDescription;
  /** Checks readiness. @throws {Error} with the reason if no pair, or no up-to-date pair, can be served */
  check(): void;
}
