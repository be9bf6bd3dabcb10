/** The simplest deduplicating queue: a set and an array. It is the baseline for our queue. */
export class BareQueue {
  readonly #queued = new Set<string>();
  #items: string[] = [];
  #next = 0;

  add(item: string): void {
    if (this.#queued.has(item)) return;
    this.#queued.add(item);
    this.#items.push(item);
  }

  tryGet(): string | undefined {
    const item = this.#items[this.#next];
    if (item === undefined) {
      this.#items = [];
      this.#next = 0;
      return undefined;
    }
    this.#next += 1;
    this.#queued.delete(item);
    return item;
  }

  done(_item: string): void {}
}
