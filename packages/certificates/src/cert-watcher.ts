import { X509Certificate } from "node:crypto";
import { type Clock, systemClock } from "@kubewright/clock";
import { errorText, type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { IssuedCertificate } from "./certificate-authority.ts";
import { FileChanges } from "./file-changes.ts";
import { readPair } from "./read-pair.ts";

/** What a watcher reports. @see controller-runtime pkg/certwatcher/metrics */
export interface CertWatcherMetrics {
  /** `certwatcher_read_certificate_total` */
  read(): void;
  /** `certwatcher_read_certificate_errors_total` */
  readError(): void;
}

/** Which files a {@link CertWatcher} follows, and whom it tells. */
export interface CertWatcherOptions {
  /** PEM, the chain after the certificate itself. */
  readonly certFile: string;
  /** PEM. */
  readonly keyFile: string;
  /** How often the files are read whether or not a change was seen. Default 10,000 ms. */
  readonly intervalMs?: number | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Told of new pairs and of what cannot be read. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Default: nowhere. */
  readonly metrics?: CertWatcherMetrics | undefined;
}

/** Two files are seldom written at one instant: so long after a change they are read. */
const settleMs = 100;

/**
 * A certificate and its key in files, read anew when they change: written over, renamed, or swapped with the folder that a link leads to,
 * as kubelet does. What does not fit together is not taken: the old pair stays.
 *
 * @throws {Error} by the constructor, naming the file, if there is no pair to begin with
 * @see controller-runtime pkg/certwatcher CertWatcher
 */
export class CertWatcher {
  readonly group = "http";
  readonly name: string;
  readonly #options: CertWatcherOptions;
  readonly #listeners = new Set<(pair: IssuedCertificate) => void>();
  #current: IssuedCertificate;
  /** What was read last, taken or not: said once. */
  #seen = "";

  constructor(options: CertWatcherOptions) {
    this.#options = options;
    this.name = `certificate watcher of ${options.certFile}`;
    this.#current = this.#counted();
    this.#seen = textOf(this.#current);
  }

  /** The pair that was read last and fits together. */
  get current(): IssuedCertificate {
    return this.#current;
  }

  /** Calls back with each new pair. The answer ends that. */
  onChange(listener: (pair: IssuedCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock = systemClock, intervalMs = 10_000 } = this.#options;
    const changes = new FileChanges([this.#options.certFile, this.#options.keyFile]);
    try {
      while (!signal.aborted) {
        const woken = AbortSignal.any([signal, changes.next()]);
        await clock.sleep(intervalMs, woken);
        if (!signal.aborted && woken.aborted) await clock.sleep(settleMs, signal);
        if (!signal.aborted) this.read();
      }
    } finally {
      changes.close();
    }
  }

  /** Reads the files now. @returns whether they hold another pair than before, which is then served */
  read(): boolean {
    const { certFile } = this.#options;
    const logger = safeLogger(this.#options.logger ?? silentLogger);
    let pair: IssuedCertificate;
    try {
      pair = this.#counted();
    } catch (err) {
      const text = errorText(err);
      if (text !== this.#seen) logger.error({ err, certFile }, "certificate not read, the old one stays");
      this.#seen = text;
      return false;
    }
    this.#seen = textOf(pair);
    if (this.#seen === textOf(this.#current)) return false;
    this.#current = pair;
    logger.info({ certFile, notAfter: new X509Certificate(pair.certificate).validTo }, "certificate read anew");
    for (const listener of this.#listeners) {
      try {
        listener(pair);
      } catch (err) {
        logger.error({ err, certFile }, "a listener for certificates failed");
      }
    }
    return true;
  }

  #counted(): IssuedCertificate {
    const { certFile, keyFile, metrics } = this.#options;
    metrics?.read();
    try {
      return readPair(certFile, keyFile);
    } catch (error) {
      metrics?.readError();
      throw error;
    }
  }
}

const textOf = ({ certificate, key }: IssuedCertificate): string => `${certificate}\n${key}`;
