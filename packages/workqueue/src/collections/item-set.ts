/** Above so many a `Set` finds an item sooner than looking at each. */
const fewest = 16;

/** The same as a `Set`, for what is usually a handful of items that come and go: those lie in an array, and cost no hashing. */
export class ItemSet<T> {
  readonly #few: T[] = [];
  readonly #many = new Set<T>();

  get size(): number {
    return this.#few.length + this.#many.size;
  }

  has(item: T): boolean {
    return this.#few.includes(item) || (this.#many.size > 0 && this.#many.has(item));
  }

  /** Only for an item that is not in it. */
  add(item: T): void {
    if (this.#few.length < fewest) this.#few.push(item);
    else this.#many.add(item);
  }

  /** Whether it was in it. */
  delete(item: T): boolean {
    const few = this.#few;
    const last = few.length - 1;
    for (let at = last; at >= 0; at--) {
      if (few[at] !== item && !Object.is(few[at], item)) continue;
      const moved = few.pop();
      if (at < last && moved !== undefined) few[at] = moved;
      return true;
    }
    return this.#many.size > 0 && this.#many.delete(item);
  }
}
