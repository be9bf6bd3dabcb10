/** A timer that can be cancelled. `cancel` has no effect after the timer has fired or has been cancelled. */
export interface Timer {
  cancel(): void;
}

/** A source of time. All code that waits or reads the time uses a clock, so that tests can control it. */
export interface Clock {
  /** Returns the wall-clock time in milliseconds since 1970. */
  now(): number;
  /** Returns a time in milliseconds that never decreases, for measuring durations. */
  monotonic(): number;
  /** Calls `callback` once after `ms` milliseconds. The timer keeps the process alive unless `unref` is true. Default false. */
  after(ms: number, callback: () => void, options?: { readonly unref?: boolean | undefined }): Timer;
  /** Resolves after `ms` milliseconds, or immediately when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `callback` when everything that is due now has been processed. Default: in the next turn of the event loop, after sockets have been
   * read and written.
   */
  onNextTurn?(callback: () => void): void;
}

/** Maximum delay of Node's timers in milliseconds. Longer delays use several timers. */
const longestMs = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    let handle: NodeJS.Timeout;
    const arm = (rest: number): void => {
      handle = setTimeout(
        () => (rest > longestMs ? arm(rest - longestMs) : callback()),
        Math.min(Math.max(rest, 0), longestMs),
      );
      if (options?.unref) handle.unref();
    };
    arm(ms);
    return { cancel: () => clearTimeout(handle) };
  },
  sleep(ms, signal) {
    return sleepOn(systemClock, ms, signal);
  },
};

/** Implements `sleep` for a clock with `after`. */
export function sleepOn(clock: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Calls `callback` when everything that is due now has been processed, including sockets. @see Clock.onNextTurn */
export function onNextTurn(callback: () => void, clock: Clock = systemClock): void {
  if (clock.onNextTurn) clock.onNextTurn(callback);
  else setImmediate(callback);
}

/**
 * Resolves when everything that is due now has been processed, including sockets. Long-running code awaits this in
 * order to yield.
 */
export const nextTurn = (clock?: Clock): Promise<void> => new Promise((resolve) => onNextTurn(resolve, clock));

/** Number of promise callbacks, one after the other, that make up a turn of {@link withPromiseTurns}. */
const promisesPerTurn = 64;

/**
 * Returns a clock whose turns consist only of promise callbacks, for code that does not wait for sockets. The order of
 * events then depends only on promises and the given clock's time. Other work, such as sockets and system timers, does
 * not run between such turns.
 */
export function withPromiseTurns(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback, options) => clock.after(ms, callback, options),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    onNextTurn(callback) {
      let left = promisesPerTurn;
      const step = (): void => {
        if (--left === 0) callback();
        else queueMicrotask(step);
      };
      queueMicrotask(step);
    },
  };
}

/**
 * Returns a signal that aborts after `ms` milliseconds, with the same reason as `AbortSignal.timeout`. Its timer does not keep the process
 * alive.
 */
export function timeoutSignal(ms: number, clock: Pick<Clock, "after"> = systemClock): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  clock.after(ms, () => controller.abort(reason), { unref: true });
  return controller.signal;
}

/** Resolves when the signal aborts, or immediately if it has aborted already. Never rejects. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Formats a time in milliseconds since 1970 as RFC 3339 in UTC with whole seconds, as in object metadata. */
export function rfc3339(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond.second) lastSecond = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return lastSecond.text;
}

/** Result of the last call. It is reused, because most calls are for the current second. */
let lastSecond = { second: Number.NaN, text: "" };

/**
 * Formats a time in milliseconds since 1970 as RFC 3339 with six fractional digits, like upstream's `MicroTime`. The
 * fractional part of `ms` determines the microseconds.
 */
export function rfc3339Micro(ms: number): string {
  const wholeMs = Math.floor(ms);
  const micros = Math.round((ms - wholeMs) * 1_000);
  if (micros === 1_000) return rfc3339Micro(wholeMs + 1);
  return `${new Date(wholeMs).toISOString().slice(0, 23)}${String(micros).padStart(3, "0")}Z`;
}
