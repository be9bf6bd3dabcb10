import { type FSWatcher, watch } from "node:fs";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";

/** Delay after a change, because editors write a file in several steps. */
const debounceMs = 100;

/** Returns true for source files, and false for tests and editors' temporary files. */
const isSource = (path: string): boolean =>
  /\.(?:[cm]?[jt]s|json|ya?ml)$/.test(path) && !/\.test\.[cm]?[jt]s$|(?:^|[\\/])\./.test(path);

/** Reports when files in a folder are saved. Several saves between two calls of `next` count as one. */
export class Saves {
  readonly #watcher: FSWatcher;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #timer: Timer | undefined;
  #isSaved = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  /** Starts watching a folder. @throws {Error} if the folder cannot be watched */
  constructor(folder: string, signal: AbortSignal, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#signal = signal;
    this.#watcher = watch(folder, { recursive: true }, (_, path) => {
      if (path !== null && isSource(path)) this.#later();
    });
    this.#watcher.on("error", (error) => {
      this.#failure = new Error(`${folder} cannot be watched: ${error.message}`, { cause: error });
      this.#wake();
    });
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  /** Resolves with true at the next save, or with false when the signal aborts. @throws {Error} if watching failed */
  async next(): Promise<boolean> {
    while (!this.#isSaved && !this.#signal.aborted) {
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isSaved = false;
    return !this.#signal.aborted;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#watcher.close();
  }

  #later(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(debounceMs, () => {
      this.#isSaved = true;
      this.#wake();
    });
  }
}
