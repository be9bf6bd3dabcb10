const smallest = 16;

/** First in, first out, without moving what waits: a circular buffer that doubles when full. */
export class Ring<T> {
  #slots: (T | undefined)[] = new Array<T | undefined>(smallest);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  /** The oldest item, or `undefined` when there is none. Its slot keeps no reference to it. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length--;
    if (this.#length === 0 && this.#slots.length > 1024) this.clear(); // a burst is over: give its memory back
    return item;
  }

  clear(): void {
    this.#slots = new Array<T | undefined>(smallest);
    this.#head = 0;
    this.#length = 0;
  }

  #grow(): void {
    const old = this.#slots;
    const slots = old.slice(this.#head).concat(old.slice(0, this.#head));
    slots.length = old.length * 2;
    this.#slots = slots;
    this.#head = 0;
  }
}
