import type { CertificatesDescription } from "./certificates-description.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Source of a server's certificate, which also makes callers trust it. */
export interface CertificateSource {
  /** The pair to serve now. */
  readonly current: KeyPair | undefined;
  /** CA certificates that callers must trust, as PEM, if the source knows them. */
  readonly caBundle?: string | undefined;
  /** Calls the listener with each new pair until the returned function is called. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  /** Keeps the pair fresh until the signal aborts. Works on every replica. */
  run(signal: AbortSignal): Promise<void>;
  /** Describes the permissions that the program needs, if any. Makes no requests. */
  describe?(): CertificatesDescription;
  /** @throws {Error} with the reason if no pair, or no fresh pair, can be served */
  check(): void;
}
