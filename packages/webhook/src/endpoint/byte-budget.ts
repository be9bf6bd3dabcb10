/** How many bytes all calls of a server may hold at a time, so that many large ones do not add up to more than there is. */
export class ByteBudget {
  readonly #most: number;
  #taken = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get taken(): number {
    return this.#taken;
  }

  lease(): ByteLease {
    return new ByteLease((bytes) => {
      if (bytes > 0 && this.#taken + bytes > this.#most) return false;
      this.#taken += bytes;
      return true;
    });
  }
}

/** What one call holds. */
export class ByteLease {
  readonly #take: (bytes: number) => boolean;
  #held = 0;

  /** @param take takes bytes, or gives back a negative number; false where there are not enough */
  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** False, with nothing taken, if others hold too much. */
  grow(bytes: number): boolean {
    const has = this.#take(bytes);
    if (has) this.#held += bytes;
    return has;
  }

  /** Gives all back. Calling it twice does nothing more. */
  release(): void {
    this.#take(-this.#held);
    this.#held = 0;
  }
}
