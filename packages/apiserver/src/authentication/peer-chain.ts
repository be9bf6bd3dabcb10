import type { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import { connectionOf, type RequestMessage } from "../http/messages.ts";
import type { CertificatePool, ChainVerdict } from "./certificate-pool.ts";

/** What a client showed while its connection was made. */
export interface PeerChain {
  /** The same for every request of a connection. */
  readonly connection: object;
  readonly leaf: X509Certificate;
  /** The client's certificate, and what it sent along; only the first is known where a session was resumed. */
  readonly certificates: readonly X509Certificate[];
  readonly isResumed: boolean;
}

/** More is not looked at. */
const longestChain = 32;

/** What the client showed; `undefined` where it showed nothing. */
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

/** It does not change while the connection lasts, and Node tells the whole chain only once. */
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

/** Chains that are remembered for sessions that are resumed. */
const maxRemembered = 256;

/**
 * Judges what clients show, once a connection, and anew when a certificate of the chain has begun or ceased to be valid: a
 * connection may outlive its certificate.
 */
export class ChainJudge {
  readonly #pool: CertificatePool;
  readonly #nowMs: () => number;
  readonly #verdicts = new WeakMap<object, ChainVerdict>();
  /** What came along with certificates that were taken, by their fingerprints. A resumed session has the first alone. */
  readonly #remembered = new Map<string, readonly X509Certificate[]>();

  constructor(pool: CertificatePool, nowMs: () => number) {
    this.#pool = pool;
    this.#nowMs = nowMs;
  }

  /** @throws {CertificateError} where no authority vouches for it at this time */
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
