import type { DeletedFinalStateUnknown } from "@kubewright/apimachinery";
import { IndexError } from "./index-error.ts";
import { Indexer, type IndexerOptions, type Replacement } from "./indexer.ts";
import type { ReflectorStore } from "./reflector-store.ts";

/**
 * An {@link Indexer} that passes its whole content to a function after every change, for consumers of state rather than of changes.
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

  /** An object that an index function failed for is stored, so the content is passed on in that case as well. */
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
