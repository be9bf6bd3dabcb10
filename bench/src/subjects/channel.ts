import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";

/** Passes objects to a channel source. Keeps objects until they are taken. */
export class Channel<T extends KubeObject> implements AsyncIterable<DeepReadonly<T>> {
  #objects: DeepReadonly<T>[] = [];
  #wake = (): void => {};

  send(objects: readonly DeepReadonly<T>[]): void {
    this.#objects.push(...objects);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DeepReadonly<T>, void, undefined> {
    for (;;) {
      const objects = this.#objects;
      this.#objects = [];
      yield* objects;
      if (this.#objects.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
