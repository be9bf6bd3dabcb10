import type { CertificatesDescription } from "./certificates-description.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Where a server's certificate comes from, and what makes others trust it. */
export interface CertificateSource {
  /** The pair to serve now. */
  readonly current: KeyPair | undefined;
  /** PEM that callers are to trust, where the source knows it. */
  readonly caBundle?: string | undefined;
  /** Tells of each new pair, until the returned function is called. */
  onChange(listener: (pair: KeyPair) => void): () => void;
  /** Keeps it fresh until the signal aborts. Works on every replica. */
  run(signal: AbortSignal): Promise<void>;
  /** What its program must be allowed to, where that is anything. Asks nobody. */
  describe?(): CertificatesDescription;
  /** @throws {Error} that says why nothing, or nothing fresh, can be served */
  check(): void;
}
