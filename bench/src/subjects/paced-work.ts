import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { keyOf } from "@kubewright/apimachinery";

const everyMs = 10;

/**
 * Triggers the reconciles of a given number of objects per second, and catches up after delays. Chooses objects that
 * are not being reconciled.
 */
export class PacedWork<T extends KubeObject> {
  readonly #send: (objects: readonly DeepReadonly<T>[]) => void;
  /**
   * Objects that are being reconciled. They are not requested again, because a queue would merge the second request
   * with the first.
   */
  readonly #waiting = new Set<string>();
  #isDone = Promise.withResolvers<void>();

  constructor(send: (objects: readonly DeepReadonly<T>[]) => void) {
    this.#send = send;
  }

  done(key: string): void {
    if (this.#waiting.delete(key) && this.#waiting.size === 0) this.#isDone.resolve();
  }

  async run(
    objects: readonly DeepReadonly<T>[],
    { reconciles, perSecond }: { readonly reconciles: number; readonly perSecond: number },
  ): Promise<void> {
    const began = performance.now();
    let next = 0;
    for (let handed = 0; handed < reconciles; ) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const due = Math.min(reconciles, Math.ceil(((performance.now() - began) * perSecond) / 1_000));
      const sent: DeepReadonly<T>[] = [];
      for (let tried = 0; handed < due && tried < objects.length; tried++) {
        const object = objects[next++ % objects.length];
        const key = object && keyOf(object);
        if (!object || !key || this.#waiting.has(key)) continue;
        this.#waiting.add(key);
        sent.push(object);
        handed++;
      }
      this.#send(sent);
    }
    this.#isDone = Promise.withResolvers();
    if (this.#waiting.size > 0) await this.#isDone.promise;
  }
}
