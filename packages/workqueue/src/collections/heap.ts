/** An entry of a {@link Heap}, which stores its own position, so that it can be moved or removed without a search. */
export interface HeapEntry {
  /** Maintained by the heap; -1 while the entry is not in a heap. */
  heapIndex: number;
}

/** A heap with the least entry first; push, pop, update and remove are O(log n). */
export class Heap<E extends HeapEntry> {
  readonly #entries: E[] = [];
  readonly #isBefore: (a: E, b: E) => boolean;

  constructor(isBefore: (a: E, b: E) => boolean) {
    this.#isBefore = isBefore;
  }

  get length(): number {
    return this.#entries.length;
  }

  peek(): E | undefined {
    return this.#entries[0];
  }

  push(entry: E): void {
    this.#entries.push(entry);
    this.#up(entry, this.#entries.length - 1);
  }

  pop(): E | undefined {
    const first = this.#entries[0];
    if (first) this.remove(first);
    return first;
  }

  /** Moves an entry whose order has changed to its new position. */
  update(entry: E): void {
    this.#up(entry, entry.heapIndex);
    this.#down(entry, entry.heapIndex);
  }

  remove(entry: E): void {
    const index = entry.heapIndex;
    const last = this.#entries.pop();
    entry.heapIndex = -1;
    if (last === undefined || last === entry) return;
    last.heapIndex = index;
    this.#entries[index] = last;
    this.update(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.heapIndex = -1;
    this.#entries.length = 0;
  }

  /** Returns every entry, in no particular order. */
  values(): IterableIterator<E> {
    return this.#entries.values();
  }

  #up(entry: E, from: number): void {
    const entries = this.#entries;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = entries[parentIndex];
      if (parent === undefined || !this.#isBefore(entry, parent)) break;
      entries[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    entries[index] = entry;
    entry.heapIndex = index;
  }

  #down(entry: E, from: number): void {
    const entries = this.#entries;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = entries[childIndex];
      if (child === undefined) break;
      const right = entries[childIndex + 1];
      if (right !== undefined && this.#isBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (!this.#isBefore(child, entry)) break;
      entries[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    entries[index] = entry;
    entry.heapIndex = index;
  }
}
