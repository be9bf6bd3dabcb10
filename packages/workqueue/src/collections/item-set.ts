/** Number of items above which a `Set` is faster than a linear search. */
const fewest = 16;

/** Like a `Set`, optimised for a few items that change often: these are in an array, and need no hashing. */
export class ItemSet<T> {
  readonly #few: T[] = [];
  readonly #many = new Set<T>();

  get size(): number {
    return this.#few.length + this.#many.size;
  }

  has(item: T): boolean {
    return this.#few.includes(item) || (this.#many.size > 0 && this.#many.has(item));
  }

  /** Adds an item that must not be in the set. */
  add(item: T): void {
    if (this.#few.length < fewest) this.#few.push(item);
    else this.#many.add(item);
  }

  /** Removes an item. Returns true if it was in the set. */
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
