import type { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { connectionOf, type RequestMessage } from "../http/messages.ts";
import type { CertificatePool, ChainVerdict } from "./certificate-pool.ts";

/** Certificates that a client sent in the TLS handshake. */
export interface PeerChain {
  /** The same object for every request on a connection. */
  readonly connection: object;
  readonly leaf: X509Certificate;
  /** The client's certificate and its intermediates. In a resumed session, only the client's certificate is known. */
  readonly certificates: readonly X509Certificate[];
  readonly isResumed: boolean;
}

/** Maximum number of certificates examined. */
const longestChain = 32;

/** Returns the client's certificates, or `undefined` if there are none. */
export function peerChain(request: RequestMessage): PeerChain | undefined {
  const connection = connectionOf(request);
  if (!(connection instanceof TLSSocket)) return undefined;
  let shown = chains.get(connection);
  if (!shown) {
    shown = read(connection) ?? "nothing";
    chains.set(connection, shown);
  }
  return shown === "nothing" ? undefined : shown;
}

/** The certificates do not change during a connection, and Node returns the whole chain only once. */
const chains = new WeakMap<TLSSocket, PeerChain | "nothing">();

function read(connection: TLSSocket): PeerChain | undefined {
  const leaf = connection.getPeerX509Certificate();
  if (!leaf) return undefined;
  const certificates: X509Certificate[] = [];
  let next: X509Certificate | undefined = leaf;
  while (next && certificates.length < longestChain) {
    certificates.push(next);
    next = next.issuerCertificate;
  }
  return { connection, leaf, certificates, isResumed: connection.isSessionReused() };
}

/** Maximum number of chains remembered for resumed sessions. */
const maxRemembered = 256;

/**
 * Verifies client certificates once per connection, and again when a certificate in the chain becomes valid or stops being valid, because
 * a connection may outlive its certificate.
 */
export class ChainJudge {
  readonly #pool: CertificatePool;
  readonly #nowMs: () => number;
  readonly #verdicts = new WeakMap<object, ChainVerdict>();
  /** Intermediates of accepted certificates by fingerprint, because a resumed session contains only the first certificate. */
  readonly #remembered = new Map<string, readonly X509Certificate[]>();

  constructor(pool: CertificatePool, nowMs: () => number) {
    this.#pool = pool;
    this.#nowMs = nowMs;
  }

  /** Checks a client's certificate. @throws {CertificateError} if no CA currently vouches for it */
  check(chain: PeerChain): void {
    const nowMs = this.#nowMs();
    let verdict = this.#verdicts.get(chain.connection);
    if (!verdict || nowMs < verdict.fromMs || nowMs >= verdict.untilMs) {
      const certificates = this.#whole(chain);
      verdict = this.#pool.judge(certificates, nowMs);
      this.#verdicts.set(chain.connection, verdict);
      if (!verdict.error && certificates.length > 1) this.#remember(chain.leaf, certificates);
    }
    if (verdict.error) throw verdict.error;
  }

  #whole({ leaf, certificates, isResumed }: PeerChain): readonly X509Certificate[] {
    if (!isResumed || certificates.length > 1) return certificates;
    return this.#remembered.get(leaf.fingerprint256) ?? certificates;
  }

  #remember(leaf: X509Certificate, certificates: readonly X509Certificate[]): void {
    const name = leaf.fingerprint256;
    this.#remembered.delete(name);
    this.#remembered.set(name, certificates);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
