import { isExpired } from "@kubewright/apimachinery";
import { errorText, type Logger } from "@kubewright/log";
import { noMatchIn } from "./watch-errors.ts";

export interface WatchErrorReportsOptions {
  readonly logger: Logger;
  /** Called instead of logging. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Number of failed tries after which a server is considered down instead of restarting, which takes a few seconds. */
const triesOfRestart = 4;

/** Reports errors that interrupt listing and watching, and remembers the last one until the server has responded. */
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

  /** Must be called when the server has responded. */
  clear(): void {
    this.#last = undefined;
    this.#isKnownUnserved = false;
    this.#hasAnswered = true;
    this.#unansweredTries = 0;
  }

  /**
   * Records an error that is retried automatically because the server is unavailable or busy. Warns once, without a stack: at once if the
   * server has never responded, otherwise after several tries, since servers restart.
   */
  retried(error: unknown): void {
    this.#last = error;
    if (++this.#unansweredTries !== (this.#hasAnswered ? triesOfRestart : 1)) return;
    const reason = errorText(error);
    this.#options.logger.warn({ reason }, "the API server does not respond; retrying");
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

  /** Warns once, without a stack: the reason contains the remedy, and it may be long before the definition is installed. */
  #reportUnserved({ message: reason }: Error): void {
    this.#options.logger[this.#isKnownUnserved ? "debug" : "warn"]({ reason }, "the kind is not served");
    this.#isKnownUnserved = true;
  }
}
