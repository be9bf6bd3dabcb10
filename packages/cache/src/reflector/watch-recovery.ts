import { isExpired } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { orLeft } from "../source/or-left.ts";
import { isOlder } from "./event-applier.ts";
import type { ReflectorBackoff } from "./reflector-backoff.ts";
import type { VersionMemory } from "./version-memory.ts";
import { isTransportError, isWatchErrorRetriable, WentBackInTimeError } from "./watch-errors.ts";
import { StalledWatchError } from "./watch-stream.ts";

export interface WatchRecoveryOptions<O> {
  readonly source: Pick<ListerWatcher<O>, "currentVersion">;
  readonly version: VersionMemory;
  readonly backoff: ReflectorBackoff;
  readonly logger: Logger;
}

/** Decides how a reflector continues after a watch failed, and waits if it should not continue at once. */
export class WatchRecovery<O> {
  readonly #options: WatchRecoveryOptions<O>;

  constructor(options: WatchRecoveryOptions<O>) {
    this.#options = options;
  }

  /**
   * Returns true to continue watching from the last version; false if the state must be listed again.
   *
   * @param wasEstablished true if the watch had delivered something, or been open for a while
   * @throws the failure, if neither helps
   */
  async canWatchOn(failure: unknown, wasEstablished: boolean, signal: AbortSignal): Promise<boolean> {
    const { version, backoff, logger } = this.#options;
    if (isExpired(failure)) {
      logger.debug({ err: failure }, "watch closed");
      return false;
    }
    const isStalled = failure instanceof StalledWatchError;
    const isBack = failure instanceof WentBackInTimeError;
    if (!isStalled && !isBack && !isWatchErrorRetriable(failure)) throw failure;
    const isCut = isTransportError(failure);
    logger[isStalled || isBack ? "warn" : "debug"]({ err: failure }, "watch failed; replacing it");
    if (!isStalled && !(isCut && wasEstablished)) await backoff.wait(signal);
    if (!isStalled && !isBack && !isCut) return true;
    // A restored server may not know the version to watch from, and would stay silent forever.
    if (!(await this.#hasGoneBack(signal, isBack))) return true;
    version.isUnavailable = true;
    return false;
  }

  /** Asks the server for its version. @returns `otherwise` if the server cannot be asked */
  async #hasGoneBack(signal: AbortSignal, otherwise: boolean): Promise<boolean> {
    const { source, version, logger } = this.#options;
    if (!source.currentVersion || signal.aborted) return otherwise;
    // If the server does not respond now, it is asked again when the next watch fails.
    const now = await orLeft(
      source.currentVersion(signal).catch(() => undefined),
      signal,
    );
    if (now === undefined || !isOlder(now, version.last)) return false;
    logger.warn({ seen: version.last, now }, "the server went back in time");
    return true;
  }
}
