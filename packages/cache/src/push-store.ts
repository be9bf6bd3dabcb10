import type { DeletedFinalStateUnknown } from "@kubewright/apimachinery";
import { Indexer, type IndexerOptions } from "./indexer.ts";
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
    super.update(object);
    this.#push(this.list());
  }

  override update(object: O): O | undefined {
    const old = super.update(object);
    this.#push(this.list());
    return old;
  }

  override delete(object: O | DeletedFinalStateUnknown<O>): O | undefined {
    const old = super.delete(object);
    this.#push(this.list());
    return old;
  }

  override replace(objects: readonly O[], resourceVersion?: string): void {
    super.replace(objects, resourceVersion);
    this.#push(this.list());
  }
}
