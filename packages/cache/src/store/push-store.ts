import type { DeletedFinalStateUnknown } from "@kubewright/apimachinery";
import { IndexError, Indexer, type IndexerOptions, type Replacement } from "./indexer.ts";
import type { ReflectorStore } from "./reflector-store.ts";

/**
 * A store that, after every change, hands its whole content on: for consumers that want the state and not what happened.
 *
 * @see client-go tools/cache UndeltaStore
 */
export class PushStore<O> extends Indexer<O> implements ReflectorStore<O> {
  readonly #push: (objects: readonly O[]) => void;

  constructor(push: (objects: readonly O[]) => void, options: IndexerOptions<O> = {}) {
    super(options);
    this.#push = push;
  }

  override add(object: O): void {
    this.update(object);
  }

  override update(object: O): O | undefined {
    return this.#pushing(() => super.update(object));
  }

  override delete(object: O | DeletedFinalStateUnknown<O>): O | undefined {
    return this.#pushing(() => super.delete(object));
  }

  override exchange(objects: readonly O[], resourceVersion?: string): Replacement<O> {
    return this.#pushing(() => super.exchange(objects, resourceVersion));
  }

  /** What an index function failed on is stored, and is handed on, too. */
  #pushing<R>(change: () => R): R {
    try {
      const result = change();
      this.#push(this.list());
      return result;
    } catch (error) {
      if (error instanceof IndexError) this.#push(this.list());
      throw error;
    }
  }
}
