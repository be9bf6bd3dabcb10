import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  CertWatcher,
  type CertWatcherMetrics,
  certificateBlocks,
  type IssuedCertificate,
} from "@kubewright/certificates";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { CertificateMetrics } from "./certificate-reports.ts";
import type { CertificateSource, KeyPair } from "./certificate-source.ts";
import { ServedPair } from "./served-pair.ts";

/** Options for {@link directoryCertificates}. */
export interface DirectoryCertificatesOptions {
  /** Directory, such as a mounted Secret. Default: upstream's directory, `/tmp/k8s-webhook-server/serving-certs`. */
  readonly dir?: string | undefined;
  /** File name of the certificate. Default `tls.crt`. */
  readonly certName?: string | undefined;
  /** File name of the private key. Default `tls.key`. */
  readonly keyName?: string | undefined;
  /** Interval between reads, even if no change was detected. Default 10,000 ms. */
  readonly intervalMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Metrics. Default: none. */
  readonly metrics?: (CertificateMetrics & CertWatcherMetrics) | undefined;
}

/** Maximum size of a file. No bundle is larger. */
const maxBytes = 1024 * 1024;

/**
 * Reads a certificate from files that another program, such as cert-manager, renews. If the certificate and the key do
 * not match, the previous pair remains in use. `caBundle` is the content of `ca.crt`.
 *
 * @throws {Error} with the file's name, if there is no valid pair when the source is created
 * @see controller-runtime pkg/webhook Options.CertDir
 */
export const directoryCertificates = (options: DirectoryCertificatesOptions = {}): CertificateSource =>
  new DirectoryCertificates(options);

class DirectoryCertificates implements CertificateSource {
  readonly #watcher: CertWatcher;
  readonly #served: ServedPair;
  readonly #bundleFile: string;

  constructor(options: DirectoryCertificatesOptions) {
    const { dir = "/tmp/k8s-webhook-server/serving-certs", certName = "tls.crt", keyName = "tls.key" } = options;
    const { clock = systemClock, metrics, intervalMs } = options;
    const logger = safeLogger(options.logger ?? silentLogger);
    this.#bundleFile = join(dir, "ca.crt");
    const files = { certFile: join(dir, certName), keyFile: join(dir, keyName) };
    this.#watcher = new CertWatcher({ ...files, clock, logger, metrics, intervalMs });
    this.#served = new ServedPair(clock, logger, metrics);
    const serve = ({ certificate, key }: IssuedCertificate): void => this.#served.serve({ cert: certificate, key });
    serve(this.#watcher.current);
    this.#watcher.onChange(serve);
  }

  get current(): KeyPair | undefined {
    return this.#served.current;
  }

  get caBundle(): string | undefined {
    try {
      if (statSync(this.#bundleFile).size > maxBytes) return undefined;
      return certificateBlocks(readFileSync(this.#bundleFile, "utf8")).join("") || undefined;
    } catch {
      return undefined; // the directory may lack the authority
    }
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    return this.#served.onChange(listener);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#watcher.run(signal);
  }

  check(): void {
    this.#served.check(undefined);
  }
}
