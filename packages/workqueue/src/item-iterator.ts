import type { WorkQueue } from "./work-queue.ts";

/** One consumer's loop over a queue; see `items` of {@link WorkQueue}. */
export class ItemIterator<T> implements AsyncIterableIterator<T, undefined> {
  readonly #queue: Pick<WorkQueue<T>, "get" | "tryGet">;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #end = (): void => {
    this.#signal?.removeEventListener("abort", this.#end);
    this.#ended.abort();
  };

  constructor(queue: Pick<WorkQueue<T>, "get" | "tryGet">, signal: AbortSignal | undefined) {
    this.#queue = queue;
    this.#signal = signal;
    if (signal?.aborted) this.#end();
    else signal?.addEventListener("abort", this.#end, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#ended.signal.aborted) return { value: undefined, done: true };
    let item = this.#queue.tryGet();
    if (item === undefined) item = await this.#queue.get(this.#ended.signal);
    if (item !== undefined) return { value: item, done: false };
    this.#end();
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return { value: undefined, done: true };
  }
}
