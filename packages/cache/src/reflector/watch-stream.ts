import { type Clock, nextTurn, type Timer } from "@kubewright/clock";
import type { ListerWatcher, SourceEvent, WatchRequest } from "../source/lister-watcher.ts";

/**
 * Duration below which a watch counts as short. Two short watches in a row indicate a problem that is not caused by the number of events.
 */
const shortMs = 1_000;

/** Thrown if a watch was closed because no event had arrived for too long. */
export class StalledWatchError extends Error {
  override readonly name = "StalledWatchError";

  constructor(stallMs: number) {
    super(`the watch delivered no event or bookmark for ${stallMs} ms`);
  }
}

interface WatchStreamOptions {
  readonly clock: Clock;
  /** Milliseconds without an event or bookmark after which the watch fails. `Infinity` disables the limit. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** An open watch. It ends when the server closes it, the signal aborts, or no event arrives for too long. */
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
  /** Ends the wait for the next events. Set while a wait is in progress. */
  #stopWaiting: (() => void) | undefined;

  constructor(source: ListerWatcher<O>, request: Omit<WatchRequest, "signal">, options: WatchStreamOptions) {
    const { clock, stallMs, signal } = options;
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.#signal = signal;
    this.#openedMs = clock.monotonic();
    this.#aliveMs = this.#openedMs;
    this.#stop.signal.addEventListener("abort", () => void timeToEnd().then(() => this.#stopWaiting?.()), {
      once: true,
    });
    if (signal.aborted) this.#stop.abort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#events = source.watch({ ...request, signal: this.#stop.signal })[Symbol.asyncIterator]();
    if (Number.isFinite(stallMs)) this.#armStallTimer(stallMs);
  }

  /**
   * Waits for the next events.
   *
   * @returns `undefined` once the watch has ended or the signal has aborted
   * @throws any error of the watch
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

  /** Returns the next result. Resolves to `undefined` if the source ignores its aborted signal. */
  #next(): Promise<IteratorResult<SourceEvent<O> | readonly SourceEvent<O>[]> | undefined> {
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(undefined);
      this.#events.next().then(
        (next) => {
          this.#stopWaiting = undefined;
          resolve(next);
        },
        (error: unknown) => {
          this.#stopWaiting = undefined;
          reject(error);
        },
      );
    });
  }

  /** Time at which the watch was opened, in monotonic milliseconds of the clock. */
  get openedMs(): number {
    return this.#openedMs;
  }

  /** Time of the last event, in monotonic milliseconds of the clock; `undefined` before the first event. */
  get lastEventMs(): number | undefined {
    return this.#hasEvents ? this.#aliveMs : undefined;
  }

  /** True if an event has arrived or the watch has been open for a second. A watch that ends earlier was probably rejected. */
  get isEstablished(): boolean {
    return this.#hasEvents || !this.isShort;
  }

  /** True if the watch was opened less than a second ago. */
  get isShort(): boolean {
    return this.#clock.monotonic() - this.#openedMs < shortMs;
  }

  /** Returns events to the stream. The next call of {@link next} delivers them. */
  unread(events: readonly SourceEvent<O>[]): void {
    this.#unread = events;
  }

  /** Closes the watch and resolves when it has ended. A watch that ignores its signal is abandoned. Closing twice has no effect. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stallTimer?.cancel();
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#stop.abort();
    const ended = this.#events.return?.().catch(() => {}); // it is closed; any error was thrown by next
    if (ended) await Promise.race([ended, timeToEnd()]);
  }

  /**
   * Starts the stall timer. Events only record the time; the timer compares it when it fires, so that it need not be reset for each event.
   */
  #armStallTimer(ms: number): void {
    this.#stallTimer = this.#clock.after(
      ms,
      () => {
        const silentMs = this.#clock.monotonic() - this.#aliveMs;
        // Rounding may leave less than a millisecond, which is not worth another wait.
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

/** Number of event loop turns within which a source that respects its signal has ended. */
const turnsToEnd = 5;

/** Resolves once a source has had time to end after its signal aborted. */
async function timeToEnd(): Promise<void> {
  for (let turn = 0; turn < turnsToEnd; turn++) await nextTurn();
}

/**
 * Settles with the outcome of `work`. If `work` ignores its aborted signal (a custom source may do so), it is abandoned
 * and the promise resolves to `undefined`.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void timeToEnd().then(() => resolve(undefined));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
