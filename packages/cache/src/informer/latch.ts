/** An event that happens once and that callers can await before and after it happens. */
export class Latch {
  #isOpen = false;
  #isGivenUp = false;
  #waiters = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.release();
  }

  /** Ends the current waits without opening. */
  release(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const resolve of waiters) resolve();
  }

  /** Ends all current and future waits. The latch may still open, but callers no longer wait for it. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.release();
  }

  /** Resolves to true once the latch is open; to false if the signal aborts, or {@link release} or {@link giveUp} is called first. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    if (this.#isOpen || this.#isGivenUp || signal?.aborted) return this.#isOpen;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiters.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      this.#waiters.add(done);
      signal?.addEventListener("abort", done, { once: true });
    });
    return this.#isOpen;
  }
}
