/** Restarts are further and further apart, but no further than so many rounds. */
const longestGap = 32;

/** When to restart IPsec on pods whose tunnels do not come up: in the rounds 1, 2, 4 ... 32 of a failure, then in every 32nd. */
export class IpsecRestarts {
  readonly #failures = new Map<string, number>();

  /**
   * Notes how a pod's tunnels are in this round.
   *
   * @returns whether to restart now
   */
  isDue(uid: string, fails: boolean): boolean {
    if (!fails) {
      this.#failures.delete(uid);
      return false;
    }
    const rounds = (this.#failures.get(uid) ?? 0) + 1;
    this.#failures.set(uid, rounds);
    return rounds >= longestGap ? rounds % longestGap === 0 : Number.isInteger(Math.log2(rounds));
  }

  /** Forgets the pods that are no more. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#failures.keys()) if (!uids.has(uid)) this.#failures.delete(uid);
  }
}
