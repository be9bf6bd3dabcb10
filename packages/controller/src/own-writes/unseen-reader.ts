import {
  type DeepReadonly,
  isNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  type Stored,
} from "@kubewright/apimachinery";
import type { GetOptions, KubeList, ListOptions, Reader } from "@kubewright/client";
import { isOf, type OwnWrite, type OwnWrites } from "./own-writes.ts";
import { keyFrom } from "./target-key.ts";

export interface UnseenReaderOptions<R> {
  /** Reader for kinds and objects without unseen writes; may be a cache. */
  readonly reader: Reader;
  /** Used instead of `reader` if that is behind `unseen`. */
  readonly live: Reader;
  readonly ownWrites: OwnWrites<R>;
  readonly request: R;
  /** Writes that the controller no longer waits for. */
  readonly unseen: readonly OwnWrite[];
}

/** The reads of one reconcile: live for objects whose writes the cache does not show in time, otherwise from the cache. */
export class UnseenReader<R> implements Reader {
  readonly #options: UnseenReaderOptions<R>;

  constructor(options: UnseenReaderOptions<R>) {
    this.#options = options;
  }

  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>> {
    const { unseen, reader } = this.#options;
    if (unseen.length === 0) return reader.get(kind, key, options);
    const wanted = keyFrom(key);
    const write = unseen.find((each) => each.key === wanted && isOf(each, kind));
    return write ? this.#getLive(kind, write, options) : reader.get(kind, key, options);
  }

  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const { unseen, reader } = this.#options;
    if (unseen.length === 0) return reader.list(kind, options);
    const writes = unseen.filter((each) => isOf(each, kind) && isWithin(each, options.namespace));
    return writes.length > 0 ? this.#listLive(kind, writes, options) : reader.list(kind, options);
  }

  async #getLive<T extends KubeObject>(
    kind: Kind<T>,
    write: OwnWrite,
    options?: GetOptions,
  ): Promise<Stored<DeepReadonly<T>>> {
    const { live, ownWrites, request } = this.#options;
    const found = ownWrites.liveRead(request, write);
    try {
      const object = await live.get(kind, write.key, options);
      found(object);
      return object;
    } catch (error) {
      if (isNotFound(error)) found(undefined);
      throw error;
    }
  }

  async #listLive<T extends KubeObject>(
    kind: Kind<T>,
    writes: readonly OwnWrite[],
    options: ListOptions,
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const { live, ownWrites, request } = this.#options;
    const reads = writes.map((write) => ({ key: write.key, found: ownWrites.liveRead(request, write) }));
    const objects = await live.list(kind, options);
    const byKey = new Map(objects.map((object) => [keyOf(object), object]));
    const isWhole = !(options.labels || options.fields || options.limit);
    for (const { key, found } of reads) {
      const object = byKey.get(key);
      if (object || isWhole) found(object); // in a selection, a missing object may simply not match
    }
    return objects;
  }
}

const isWithin = ({ key }: OwnWrite, namespace: string | undefined): boolean =>
  !namespace || key.startsWith(`${namespace}/`);
