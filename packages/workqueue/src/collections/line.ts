/** Number of used slots after which their memory is released. */
const spentSlots = 1_024;

/** A first-in, first-out list that does not move its items with each removal, but only once half of its slots are used up. */
export class Line<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns the oldest item, or `undefined` if there is none. Its slot keeps no reference to it. */
  shift(): T | undefined {
    const items = this.#items;
    const head = this.#head;
    if (head === items.length) return undefined;
    const item = items[head];
    items[head] = undefined;
    this.#head = head + 1;
    if (head >= spentSlots && head * 2 >= items.length) this.#moveUp();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #moveUp(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
