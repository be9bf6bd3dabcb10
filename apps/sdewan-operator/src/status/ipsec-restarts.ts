/** Maximum number of checks between two restarts. */
const maxGap = 32;

/**
 * Determines when to restart IPsec on pods whose tunnels do not come up: after the 1st, 2nd, 4th, … and 32nd failed
 * check, then after every 32nd failed check.
 */
export class IpsecRestarts {
  readonly #failures = new Map<string, number>();

  /**
   * Records the state of a pod's tunnels at the current check.
   *
   * @returns true to restart now
   */
  isDue(uid: string, fails: boolean): boolean {
    if (!fails) {
      this.#failures.delete(uid);
      return false;
    }
    const rounds = (this.#failures.get(uid) ?? 0) + 1;
    this.#failures.set(uid, rounds);
    return rounds >= maxGap ? rounds % maxGap === 0 : Number.isInteger(Math.log2(rounds));
  }

  /** Drops pods that no longer exist. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#failures.keys()) if (!uids.has(uid)) this.#failures.delete(uid);
  }
}
