/** A timer that can be called off. Calling `cancel` twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** What time is. Everything that waits or stamps asks a clock, so that a test can turn time by hand. */
export interface Clock {
  /** Milliseconds since 1970, as the wall has it. */
  now(): number;
  /** Milliseconds that only ever grow, for measuring durations. */
  monotonic(): number;
  /** Calls `callback` once, `ms` from now. The timer keeps the process alive unless `unref` is set. */
  after(ms: number, callback: () => void, options?: { readonly unref?: boolean | undefined }): Timer;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay that the platform's timers can hold; a longer one is waited for in pieces. */
const longestMs = 2 ** 31 - 1;

/** The time of the machine. */
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

/** `sleep` for a clock that has `after`. */
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

/** RFC 3339 with whole seconds in UTC, as object metadata has it. */
export function rfc3339(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond.second) lastSecond = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return lastSecond.text;
}

/** Times are mostly asked for as they are now. */
let lastSecond = { second: Number.NaN, text: "" };

/** RFC 3339 with exactly six fraction digits: upstream's `MicroTime`. A fraction of `ms` is microseconds. */
export function rfc3339Micro(ms: number): string {
  const wholeMs = Math.floor(ms);
  const micros = Math.round((ms - wholeMs) * 1_000);
  if (micros === 1_000) return rfc3339Micro(wholeMs + 1);
  return `${new Date(wholeMs).toISOString().slice(0, 23)}${String(micros).padStart(3, "0")}Z`;
}
