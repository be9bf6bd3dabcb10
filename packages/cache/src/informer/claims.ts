/** A caller that waits for a claim to become true. */
interface Waiting {
  readonly claim: () => boolean;
  readonly settle: () => void;
}

/** Waits for claims about a store to become true. Claims are checked after each change, which costs nothing while no caller waits. */
export class Claims {
  readonly #waiting = new Set<Waiting>();

  /**
   * Resolves to true once the claim holds. If the signal aborts or {@link release} is called first, resolves to the claim's value at that
   * time.
   *
   * @throws any error of the claim
   */
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

  /** Checks all claims. Must be called after each change. */
  check(): void {
    if (this.#waiting.size === 0) return;
    for (const { claim, settle } of [...this.#waiting]) if (isSettled(claim)) settle();
  }

  /** Ends every wait. */
  release(): void {
    for (const { settle } of [...this.#waiting]) settle();
  }
}

/** A claim that throws is also settled: `wait` evaluates it once more and rejects with its error. */
function isSettled(claim: () => boolean): boolean {
  try {
    return claim();
  } catch {
    return true;
  }
}
