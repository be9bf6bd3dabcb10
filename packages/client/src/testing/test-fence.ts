import type { Fence, RefusedWrite } from "../calls/write-pipeline.ts";

/** Error thrown by a {@link TestFence}. */
export class Refused extends Error {}

/** A fence that a test closes, either silently (only checks detect it) or with a signal. */
export class TestFence implements Fence {
  readonly #closed = new AbortController();
  readonly why = new Error("deposed");
  isOpen = true;
  asked = 0;

  get signal(): AbortSignal {
    return this.#closed.signal;
  }
  check(): void {
    this.asked++;
    if (!this.isOpen) throw this.why;
  }
  refused({ what, wasSent }: RefusedWrite, cause: unknown): Error {
    return new Refused(`${what}: ${wasSent ? "given up" : "not sent"}`, { cause });
  }
  close(): void {
    this.isOpen = false;
    this.#closed.abort(this.why);
  }
}

/** Returns the error with which a promise was rejected, or `undefined`. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
