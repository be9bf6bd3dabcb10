import { X509Certificate } from "node:crypto";
import { type Clock, systemClock } from "@kubewright/clock";
import { errorText, type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { IssuedCertificate } from "./certificate-authority.ts";
import { FileChanges } from "./file-changes.ts";
import { readPair } from "./read-pair.ts";

/** Metrics for a {@link CertWatcher}. @see controller-runtime pkg/certwatcher/metrics */
export interface CertWatcherMetrics {
  /** Increments `certwatcher_read_certificate_total`. */
  read(): void;
  /** Increments `certwatcher_read_certificate_errors_total`. */
  readError(): void;
}

/** Options for a {@link CertWatcher}. */
export interface CertWatcherOptions {
  /** File that contains the certificate, followed by its chain, in PEM format. */
  readonly certFile: string;
  /** File that contains the private key in PEM format. */
  readonly keyFile: string;
  /** Interval in milliseconds at which the files are read even if no change was noticed. Default 10,000. */
  readonly intervalMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger for new pairs and read errors. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Metrics to update. Default: none. */
  readonly metrics?: CertWatcherMetrics | undefined;
}

/** Delay in milliseconds between a change and reading the files. It is needed because the two files are rarely written at the same time. */
const settleMs = 100;

/**
 * Reads a certificate and its key from files, and reads them again whenever they change. A change is detected if a file
 * is overwritten or renamed, or if a link to its directory is replaced, as the kubelet does when it updates mounted
 * Secrets. If the certificate and the key do not match, the previous pair remains in use.
 *
 * @throws {Error} from the constructor if the files do not contain a valid pair; the message contains the file
 *
 * @see controller-runtime pkg/certwatcher CertWatcher
 */
export class CertWatcher {
  readonly group = "http";
  readonly name: string;
  readonly #options: CertWatcherOptions;
  readonly #listeners = new Set<(pair: IssuedCertificate) => void>();
  #current: IssuedCertificate;
  /** Result of the last read, whether or not it was valid. Stored so that each result is reported only once. */
  #seen = "";

  constructor(options: CertWatcherOptions) {
    this.#options = options;
    this.name = `certificate watcher of ${options.certFile}`;
    this.#current = this.#counted();
    this.#seen = textOf(this.#current);
  }

  /** The last pair that was valid. */
  get current(): IssuedCertificate {
    return this.#current;
  }

  /** Calls the listener with each new pair until the returned function is called. */
  onChange(listener: (pair: IssuedCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Watches the files until the signal aborts. */
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

  /** Reads the files now. @returns true if they contain a new pair, which is then in use */
  read(): boolean {
    const { certFile } = this.#options;
    const logger = safeLogger(this.#options.logger ?? silentLogger);
    let pair: IssuedCertificate;
    try {
      pair = this.#counted();
    } catch (err) {
      const text = errorText(err);
      if (text !== this.#seen) logger.error({ err, certFile }, "cannot read the certificate; keeping the old one");
      this.#seen = text;
      return false;
    }
    this.#seen = textOf(pair);
    if (this.#seen === textOf(this.#current)) return false;
    this.#current = pair;
    logger.info({ certFile, notAfter: new X509Certificate(pair.certificate).validTo }, "loaded a new certificate");
    for (const listener of this.#listeners) {
      try {
        listener(pair);
      } catch (err) {
        logger.error({ err, certFile }, "a listener for certificate changes failed");
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
