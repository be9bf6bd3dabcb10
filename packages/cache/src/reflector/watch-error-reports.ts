import { isExpired } from "@kubewright/apimachinery";
import { errorText, type Logger } from "@kubewright/log";
import { noMatchIn } from "./watch-errors.ts";

export interface WatchErrorReportsOptions {
  readonly logger: Logger;
  /** Called instead of logging. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A server that does not answer so often is not just being restarted: that takes some seconds. */
const triesOfRestart = 4;

/** Reports what interrupts listing and watching, and remembers the last error until the server has answered. */
export class WatchErrorReports {
  readonly #options: WatchErrorReportsOptions;
  #last: unknown;
  #isKnownUnserved = false;
  #hasAnswered = false;
  #unansweredTries = 0;

  constructor(options: WatchErrorReportsOptions) {
    this.#options = options;
  }

  get last(): unknown {
    return this.#last;
  }

  /** To be called when something has come from the server. */
  clear(): void {
    this.#last = undefined;
    this.#isKnownUnserved = false;
    this.#hasAnswered = true;
    this.#unansweredTries = 0;
  }

  /**
   * What is tried again by itself, because the server is away or busy. Warns once, without a stack: of a server that never answered at once, of
   * one that did after some tries, since servers restart.
   */
  retried(error: unknown): void {
    this.#last = error;
    if (++this.#unansweredTries !== (this.#hasAnswered ? triesOfRestart : 1)) return;
    const reason = errorText(error);
    this.#options.logger.warn({ reason }, "the API server does not answer, trying on");
  }

  report(error: unknown): void {
    const { logger, onError } = this.#options;
    this.#last = error;
    const noMatch = noMatchIn(error);
    try {
      if (onError) onError(error);
      else if (noMatch) this.#reportUnserved(noMatch);
      else if (isExpired(error)) logger.debug({ err: error }, "watch closed");
      else logger.error({ err: error }, "failed to watch");
    } catch (err) {
      logger.error({ err }, "the watch error handler threw");
    }
  }

  /** Warns once, without a stack: the reason says what to do, and it may be long before somebody installs the definition. */
  #reportUnserved({ message: reason }: Error): void {
    this.#options.logger[this.#isKnownUnserved ? "debug" : "warn"]({ reason }, "the kind is not served");
    this.#isKnownUnserved = true;
  }
}
