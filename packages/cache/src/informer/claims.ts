/** What may be waited for: whether it is so is asked again after every change. */
interface Waiting {
  readonly claim: () => boolean;
  readonly settle: () => void;
}

/** Those who wait for something to become true of a store. Nobody waiting, a change costs nothing. */
export class Claims {
  readonly #waiting = new Set<Waiting>();

  /** Resolves when the claim holds (true), or when the signal aborts or {@link release} is called first (what holds then). */
  async wait(claim: () => boolean, signal?: AbortSignal): Promise<boolean> {
    if (claim() || signal?.aborted) return claim();
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener("abort", settle);
        resolve();
      };
      const waiting: Waiting = { claim, settle };
      this.#waiting.add(waiting);
      signal?.addEventListener("abort", settle, { once: true });
    });
    return claim();
  }

  /** To be called after a change. */
  check(): void {
    if (this.#waiting.size === 0) return;
    for (const { claim, settle } of [...this.#waiting]) if (isSettled(claim)) settle();
  }

  /** Lets everybody go. */
  release(): void {
    for (const { settle } of [...this.#waiting]) settle();
  }
}

/** A claim that throws is settled, too: whoever waits asks it once more, and gets what it throws. */
function isSettled(claim: () => boolean): boolean {
  try {
    return claim();
  } catch {
    return true;
  }
}
