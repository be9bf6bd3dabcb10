import type { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { connectionOf, type RequestMessage } from "../http/messages.ts";
import type { CertificatePool, ChainVerdict } from "./certificate-pool.ts";

/** The certificates that a client sent during the TLS handshake. */
export interface PeerChain {
  /** Object that identifies the connection: it is the same for every request on the connection. */
  readonly connection: object;
  readonly leaf: X509Certificate;
  /** The client's certificate and the intermediate certificates. In a resumed session, only the client's certificate is known. */
  readonly certificates: readonly X509Certificate[];
  readonly isResumed: boolean;
}

/** Maximum number of certificates that are read from a chain. */
const longestChain = 32;

/** Returns the certificates sent by a request's client, or `undefined` if it sent none. */
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

/**
 * Certificates by connection. They are cached, because Node returns the whole chain only once, and they do not change during a connection.
 */
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

/** Maximum number of chains that are cached for resumed sessions. */
const maxRemembered = 256;

/**
 * Verifies client certificates once per connection. Because a connection may outlive the validity of its certificates,
 * they are verified again when a certificate in the chain becomes valid or expires.
 */
export class ChainJudge {
  readonly #pool: CertificatePool;
  readonly #nowMs: () => number;
  readonly #verdicts = new WeakMap<object, ChainVerdict>();
  /** Chains of accepted certificates by fingerprint. They are cached because a resumed session contains only the client's certificate. */
  readonly #remembered = new Map<string, readonly X509Certificate[]>();

  constructor(pool: CertificatePool, nowMs: () => number) {
    this.#pool = pool;
    this.#nowMs = nowMs;
  }

  /** Verifies a client's certificate. @throws {CertificateError} if it currently has no valid chain to a CA */
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
