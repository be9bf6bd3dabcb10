/** Somebody who waits for a claim to become true. */
interface Waiting {
  readonly claim: () => boolean;
  readonly settle: () => void;
}

/** Waits for claims about a store to become true. They are checked after each change, which costs nothing while nobody waits. */
export class Claims {
  readonly #waiting = new Set<Waiting>();

  /**
   * Resolves to true once the claim holds; if the signal aborts or {@link release} is called first, to whether it holds then.
   *
   * @throws what the claim throws
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

  /** To be called after each change. */
  check(): void {
    if (this.#waiting.size === 0) return;
    for (const { claim, settle } of [...this.#waiting]) if (isSettled(claim)) settle();
  }

  /** Ends every wait. */
  release(): void {
    for (const { settle } of [...this.#waiting]) settle();
  }
}

/** A claim that throws is settled, too: `wait` asks it once more, and so rejects with what it throws. */
function isSettled(claim: () => boolean): boolean {
  try {
    return claim();
  } catch {
    return true;
  }
}
