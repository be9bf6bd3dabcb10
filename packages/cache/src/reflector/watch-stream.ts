import type { Clock, Timer } from "@kubewright/clock";
import type { ListerWatcher, SourceEvent, WatchRequest } from "../source/lister-watcher.ts";
import { timeToEnd } from "../source/or-left.ts";

/** A watch that ends sooner is short: if the next one is as well, it is not for the load of events. */
const shortMs = 1_000;

/** A watch was given up because it was silent for too long. */
export class StalledWatchError extends Error {
  override readonly name = "StalledWatchError";

  constructor(stallMs: number) {
    super(`the watch brought neither event nor bookmark for ${stallMs} ms`);
  }
}

export interface WatchStreamOptions {
  readonly clock: Clock;
  /** Give up after so many milliseconds without event or bookmark; `Infinity`: never. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** One open watch. It ends when the server ends it, the signal aborts, or it is silent for too long. */
export class WatchStream<O> {
  readonly #events: AsyncIterator<SourceEvent<O> | readonly SourceEvent<O>[]>;
  readonly #clock: Clock;
  readonly #stallMs: number;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #onAbort = (): void => this.#stop.abort();
  readonly #openedMs: number;
  #aliveMs: number;
  #hasEvents = false;
  #stallTimer: Timer | undefined;
  #isStalled = false;
  #isClosed = false;
  #unread: readonly SourceEvent<O>[] | undefined;
  /** Ends the wait for the next events; present while there is one. */
  #leave: (() => void) | undefined;

  constructor(source: ListerWatcher<O>, request: Omit<WatchRequest, "signal">, options: WatchStreamOptions) {
    const { clock, stallMs, signal } = options;
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.#signal = signal;
    this.#openedMs = clock.monotonic();
    this.#aliveMs = this.#openedMs;
    this.#stop.signal.addEventListener("abort", () => void timeToEnd().then(() => this.#leave?.()), { once: true });
    if (signal.aborted) this.#stop.abort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#events = source.watch({ ...request, signal: this.#stop.signal })[Symbol.asyncIterator]();
    if (Number.isFinite(stallMs)) this.#armStallTimer(stallMs);
  }

  /**
   * Waits for the next events. @returns `undefined` once the watch has ended or the signal has aborted
   *
   * @throws what the watch throws
   * @throws {StalledWatchError} if the watch was silent for too long
   */
  async next(): Promise<readonly SourceEvent<O>[] | undefined> {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread && unread.length > 0) return unread;
    try {
      const next = await this.#next();
      if (this.#isStalled) throw new StalledWatchError(this.#stallMs);
      if (!next || next.done || this.#signal.aborted) return undefined;
      const { value } = next;
      this.#aliveMs = this.#clock.monotonic();
      this.#hasEvents = true;
      return isBatch(value) ? value : [value];
    } catch (error) {
      if (this.#isStalled) throw new StalledWatchError(this.#stallMs);
      if (this.#signal.aborted) return undefined;
      throw error;
    }
  }

  /** Resolves to nothing where the source does not heed its signal. */
  #next(): Promise<IteratorResult<SourceEvent<O> | readonly SourceEvent<O>[]> | undefined> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(undefined);
      this.#events.next().then(
        (next) => {
          this.#leave = undefined;
          resolve(next);
        },
        (error: unknown) => {
          this.#leave = undefined;
          reject(error);
        },
      );
    });
  }

  /** When it was opened, in the clock's monotonic milliseconds. */
  get openedMs(): number {
    return this.#openedMs;
  }

  /** When the last event came, in the clock's monotonic milliseconds; `undefined` if none has. */
  get lastEventMs(): number | undefined {
    return this.#hasEvents ? this.#aliveMs : undefined;
  }

  /** Whether an event has come, or the watch has been open for a second. One that ends earlier was probably refused. */
  get isEstablished(): boolean {
    return this.#hasEvents || !this.isShort;
  }

  /** Whether the watch was opened less than a second ago. */
  get isShort(): boolean {
    return this.#clock.monotonic() - this.#openedMs < shortMs;
  }

  /** Puts events back, for the next call of {@link next}. */
  unread(events: readonly SourceEvent<O>[]): void {
    this.#unread = events;
  }

  /** Closes the watch and resolves when it has ended; one that does not heed its signal is left behind. Closing twice does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stallTimer?.cancel();
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#stop.abort();
    const ended = this.#events.return?.().catch(() => {}); // it is over; how it ended was thrown by next
    if (ended) await Promise.race([ended, timeToEnd()]);
  }

  /** Events only note the time. The timer looks at it when it fires, so that it need not be set again for each event. */
  #armStallTimer(ms: number): void {
    this.#stallTimer = this.#clock.after(
      ms,
      () => {
        const silentMs = this.#clock.monotonic() - this.#aliveMs;
        // Less than a millisecond may be left by rounding, which is not worth another wait.
        if (this.#stallMs - silentMs >= 1) return this.#armStallTimer(this.#stallMs - silentMs);
        this.#isStalled = true;
        this.#stop.abort();
      },
      { unref: true },
    );
  }
}

function isBatch<O>(value: SourceEvent<O> | readonly SourceEvent<O>[]): value is readonly SourceEvent<O>[] {
  return Array.isArray(value);
}
