import { X509Certificate } from "node:crypto";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { CertificateMetrics } from "./certificate-reports.ts";
import type { KeyPair } from "./certificate-source.ts";

/** The certificate and key being served, and the listeners that are notified of new pairs. */
export class ServedPair {
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: CertificateMetrics | undefined;
  #current: KeyPair | undefined;
  #notAfterMs = 0;

  constructor(clock: Clock, logger: Logger, metrics: CertificateMetrics | undefined) {
    this.#clock = clock;
    this.#logger = logger;
    this.#metrics = metrics;
  }

  get current(): KeyPair | undefined {
    return this.#current;
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  serve(pair: KeyPair): void {
    if (pair.cert === this.#current?.cert && pair.key === this.#current.key) return;
    this.#current = pair;
    const certificate = new X509Certificate(pair.cert);
    this.#notAfterMs = Date.parse(certificate.validTo);
    this.#metrics?.expiry(this.#notAfterMs / 1_000);
    this.#logger.info(
      { serialNumber: certificate.serialNumber, notAfter: certificate.validTo },
      "serving a new certificate",
    );
    for (const listener of this.#listeners) {
      try {
        listener(pair);
      } catch (err) {
        this.#logger.error({ err }, "a listener for certificate changes failed");
      }
    }
  }

  /** Checks readiness. @throws {Error} with the reason, if there is no pair yet or the pair has expired */
  check(obstacle: string | undefined): void {
    const why = obstacle ? `: ${obstacle}` : "";
    if (!this.#current) throw new Error(`there is no certificate to serve yet${why}`);
    if (this.#clock.now() >= this.#notAfterMs)
      throw new Error(`the certificate expired at ${new Date(this.#notAfterMs).toISOString()}${why}`);
  }
}
