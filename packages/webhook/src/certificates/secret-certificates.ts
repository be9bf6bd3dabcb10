import { type Clock, systemClock } from "@kubewright/clock";
import { errorText, type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { type CaBundleTarget, injectBundle, isInjected, readTargets, releaseBundle } from "./ca-bundles.ts";
import { type CaState, readState, type SecretData, secretKeys, writeState } from "./ca-state.ts";
import { nextStep } from "./ca-step.ts";
import type { CertificateClient } from "./certificate-client.ts";
import type { CertificateEvents, CertificateMetrics } from "./certificate-reports.ts";
import type { CertificateSource, KeyPair } from "./certificate-source.ts";
import { type CertificateTimes, certificateTimes } from "./certificate-times.ts";
import { type CertificatesDescription, certificatesDescription } from "./certificates-description.ts";
import { RefreshLoop } from "./refresh-loop.ts";
import { type ReadSecret, SecretRecord } from "./secret-record.ts";
import { ServedPair } from "./served-pair.ts";
import { type ServiceNames, serverHosts } from "./server-hosts.ts";

/** Options for sources that store a certificate in a Secret. */
export interface SecretSourceOptions extends ServiceNames {
  /** Secret that stores the certificate, as `namespace/name`. It must exist, but may be empty. */
  readonly secret: string;
  /** Client that can write on every replica, such as `Manager.unfenced`. */
  readonly client: CertificateClient;
  /** True to create a missing Secret, which requires permission to create Secrets. Default false. */
  readonly createSecret?: boolean | undefined;
  /** Configurations that must trust the certificate. A function is called on each read. Default: none. */
  readonly targets?: readonly CaBundleTarget[] | (() => readonly CaBundleTarget[]) | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Logger. Default: no logging. */
  readonly logger?: Logger | undefined;
  /** Metrics. Default: none. */
  readonly metrics?: CertificateMetrics | undefined;
  /** Records events. Default: no events. */
  readonly events?: CertificateEvents | undefined;
}

/** Options for {@link secretCertificates}. */
export interface SecretCertificatesOptions extends SecretSourceOptions {
  /** Lifetimes and waiting times in milliseconds. For the defaults, see {@link CertificateTimes}. */
  readonly times?: { readonly [K in keyof CertificateTimes]?: number | undefined } | undefined;
}

/**
 * Issues a certificate with the program's own CA and stores both in a Secret. Before the CA expires, the next CA is
 * announced and injected into the configurations, and only then begins to issue certificates. The old CA remains
 * trusted for a while. Any replica can take any step. Each step is a single write to the Secret with optimistic
 * locking, so that another replica can continue after a crash.
 *
 * @throws {Error} if options are missing @throws {RangeError} if an untrusted certificate could be served with these
 * times
 */
export const secretCertificates = (options: SecretCertificatesOptions): CertificateSource =>
  new SecretCertificates(options);

class SecretCertificates implements CertificateSource {
  readonly #options: SecretCertificatesOptions;
  readonly #clock: Clock;
  readonly #times: CertificateTimes;
  readonly #hosts: readonly string[];
  readonly #secret: SecretRecord;
  readonly #served: ServedPair;
  readonly #loop: RefreshLoop;
  /** Last valid state. */
  #last: CaState | undefined;
  #parsedLast: { readonly text: string; readonly result: ReturnType<typeof readState> } | undefined;
  /** Phase that this replica sees, and the time since which it has seen this phase, according to its own clock. */
  #seen = { phase: "", sinceMs: 0 };

  constructor(options: SecretCertificatesOptions) {
    const { client, secret, createSecret = false, clock = systemClock, metrics } = options;
    const logger = safeLogger(options.logger ?? silentLogger);
    this.#options = options;
    this.#clock = clock;
    this.#times = certificateTimes(options.times);
    this.#hosts = serverHosts(options);
    this.#secret = new SecretRecord(client, secret, createSecret);
    this.#served = new ServedPair(clock, logger, metrics);
    const { intervalMs, staleAfterMs } = this.#times;
    this.#loop = new RefreshLoop({
      clock,
      logger,
      intervalMs,
      staleAfterMs,
      what: `Secret ${secret}`,
      turn: (signal) => this.#turn(signal),
    });
  }

  get current(): KeyPair | undefined {
    return this.#served.current;
  }

  get caBundle(): string | undefined {
    return this.#last?.bundle.join("");
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    return this.#served.onChange(listener);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  describe(): CertificatesDescription {
    return certificatesDescription(this.#secret, this.#options.targets, this.#options.service);
  }

  check(): void {
    this.#served.check(this.#loop.obstacle);
    this.#loop.check();
  }

  /** Reads the whole state and makes at most one change. @returns true if there may be more to do immediately */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const { client, targets = [] } = this.#options;
    const startedMs = this.#clock.monotonic();
    // Read before the Secret: see `injectBundle`.
    const read = await readTargets(client, typeof targets === "function" ? targets() : targets, signal).catch(
      (error: unknown) => {
        if (signal.aborted) throw error;
        return error instanceof Error ? error : new Error(errorText(error));
      },
    );
    const secret = await this.#secret.read(signal);
    const state = this.#stateOf(secret);
    this.#take(state);
    this.#loop.refreshed(startedMs);
    const bundle = state.bundle.join("");
    const step = nextStep({
      state,
      isEmpty: !Object.values(secretKeys).some((key) => secret.data[key]),
      nowMs: this.#clock.now(),
      seenForMs: this.#clock.monotonic() - this.#seen.sinceMs,
      isInjected: read instanceof Error ? undefined : isInjected(read, bundle),
      hosts: this.#hosts,
      name: this.#secret.name,
      times: this.#times,
    });
    if (step) {
      if (await secret.write(writeState(step.state), signal)) this.#report(secret, step);
      return true;
    }
    if (read instanceof Error) throw read;
    let isChanged = false;
    for (const target of read) {
      if (isInjected([target], bundle)) {
        if (await releaseBundle(client, target, signal)) isChanged = true;
        continue;
      }
      isChanged = true;
      if (await injectBundle(client, target, bundle, signal))
        this.#options.logger?.info(
          { kind: target.kind, name: target.name, phase: state.phase },
          "certificate authority injected",
        );
    }
    return isChanged;
  }

  #stateOf({ data, annotations }: ReadSecret): CaState {
    const { state } = this.#parsed(data, annotations);
    const kept = this.#last;
    // The Secret contains nothing usable. This replica keeps serving its pair until another CA is trusted.
    if (state.ca || state.next || state.leaf || !kept?.leaf) return state;
    return { ...state, leaf: kept.leaf, bundle: [...new Set([...kept.bundle, ...state.bundle])] };
  }

  /** Parses the contents again only if something changes or expires, because parsing verifies signatures. */
  #parsed(data: SecretData, annotations: ReadSecret["annotations"]): ReturnType<typeof readState> {
    const text = JSON.stringify([data, annotations]);
    const nowMs = this.#clock.now();
    if (text !== this.#parsedLast?.text || nowMs >= this.#parsedLast.result.untilMs)
      this.#parsedLast = { text, result: readState(data, annotations, nowMs) };
    return this.#parsedLast.result;
  }

  #take(state: CaState): void {
    const { phase, sinceMs, bundle, leaf } = state;
    const seen = JSON.stringify([phase, sinceMs, bundle]);
    if (seen !== this.#seen.phase) this.#seen = { phase: seen, sinceMs: this.#clock.monotonic() };
    this.#options.metrics?.phase(phase);
    if (!leaf) return;
    this.#last = state;
    this.#served.serve({ cert: leaf.certificate, key: leaf.key });
  }

  #report(
    { reference }: ReadSecret,
    { type, reason, note }: { type: "Normal" | "Warning"; reason: string; note: string },
  ): void {
    const { logger, events } = this.#options;
    logger?.[type === "Warning" ? "warn" : "info"]({ secret: this.#options.secret, reason }, note);
    events?.event(reference, { type, reason, note });
  }
}
