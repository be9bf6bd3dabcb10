import type { Clock, Timer } from "@kubewright/clock";
import type { ListerWatcher, SourceEvent, WatchRequest } from "../source/lister-watcher.ts";

/** A watch was silent for too long and was given up. */
export class StalledWatchError extends Error {
  override readonly name = "StalledWatchError";

  constructor(stallMs: number) {
    super(`the watch brought neither event nor bookmark for ${stallMs} ms`);
  }
}

export interface WatchStreamOptions {
  readonly clock: Clock;
  /** Give up after so long without event or bookmark. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** One open watch: it ends when the server, the signal or its own silence says so, and is closed exactly once. */
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

  constructor(source: ListerWatcher<O>, request: Omit<WatchRequest, "signal">, options: WatchStreamOptions) {
    const { clock, stallMs, signal } = options;
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.#signal = signal;
    this.#openedMs = clock.monotonic();
    this.#aliveMs = this.#openedMs;
    if (signal.aborted) this.#stop.abort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#events = source.watch({ ...request, signal: this.#stop.signal })[Symbol.asyncIterator]();
    if (Number.isFinite(stallMs)) this.#armStallTimer(stallMs);
  }

  /**
   * The next events, or `undefined` when the watch has ended or the signal has aborted.
   *
   * @throws what the watch throws; {@link StalledWatchError}
   */
  async next(): Promise<readonly SourceEvent<O>[] | undefined> {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread && unread.length > 0) return unread;
    try {
      const { value, done } = await this.#events.next();
      if (this.#isStalled) throw new StalledWatchError(this.#stallMs);
      if (done || this.#signal.aborted) return undefined;
      this.#aliveMs = this.#clock.monotonic();
      this.#hasEvents = true;
      return isBatch(value) ? value : [value];
    } catch (error) {
      if (this.#isStalled) throw new StalledWatchError(this.#stallMs);
      if (this.#signal.aborted) return undefined;
      throw error;
    }
  }

  /** When it was opened, in the clock's monotonic milliseconds. */
  get openedMs(): number {
    return this.#openedMs;
  }

  /** When an event last came; `undefined` if none has. */
  get lastEventMs(): number | undefined {
    return this.#hasEvents ? this.#aliveMs : undefined;
  }

  /** Whether it has brought something, or been open for a second. One that ends before is likely to have been refused. */
  get isEstablished(): boolean {
    return this.#hasEvents || this.#clock.monotonic() - this.#openedMs >= 1_000;
  }

  /** Puts events back: the next reader goes on with them. */
  unread(events: readonly SourceEvent<O>[]): void {
    this.#unread = events;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stallTimer?.cancel();
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#stop.abort();
    await this.#events.return?.().catch(() => {}); // it is over; how it ended was thrown by next
  }

  /** Events only note the time; the timer looks at it when it is due, and not before. */
  #armStallTimer(ms: number): void {
    this.#stallTimer = this.#clock.after(
      ms,
      () => {
        const silentMs = this.#clock.monotonic() - this.#aliveMs;
        // Fractions of a millisecond may get lost in the addition; they are not worth another wait.
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
