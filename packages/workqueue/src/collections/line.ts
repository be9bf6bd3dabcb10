/** So many slots may be spent before their memory is given back. */
const spentSlots = 1_024;

/** First in, first out, without moving what waits each time: it moves once as much again has been taken out in front of it. */
export class Line<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest item, or `undefined` when there is none. Its slot keeps no reference to it. */
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
