import type { Clock } from "@kubewright/clock";
import { StorageError } from "../contract/storage-error.ts";

/** Lets reads wait briefly for a resource version that does not exist yet. */
export class VersionArrival {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<() => void>();
  #current: number;

  constructor(clock: Clock, timeoutMs: number, current: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#current = current;
  }

  announce(resourceVersion: number): void {
    this.#current = resourceVersion;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits until a resource version exists. @throws {StorageError} `TooLargeResourceVersion` after the timeout */
  async waitFor(resourceVersion: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(check);
        timer.cancel();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const check = (): void => {
        if (this.#current >= resourceVersion) done();
      };
      const timer = this.#clock.after(this.#timeoutMs, done);
      signal?.addEventListener("abort", done, { once: true });
      this.#waiting.add(check);
    });
    if (this.#current >= resourceVersion) return;
    const versions = { asked: resourceVersion, current: this.#current };
    const message = `Too large resource version: ${versions.asked}, current: ${versions.current}`;
    throw new StorageError("TooLargeResourceVersion", "", message, { versions });
  }
}
