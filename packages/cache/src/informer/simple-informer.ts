import { gvkKey } from "@kubewright/apimachinery";
import { safeLogger, silentLogger } from "@kubewright/log";
import type { ReflectorOptions } from "../reflector/reflector.ts";
import { Reflector } from "../reflector/reflector.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { DeltaFIFO } from "../store/delta-fifo.ts";
import { indexErrorLog } from "../store/index-error.ts";
import type { IndexReader } from "../store/index-reader.ts";
import type { Indexers } from "../store/index-set.ts";
import { Indexer } from "../store/indexer.ts";
import { type ChangeSink, lastStateOf, processDelta } from "../store/process-deltas.ts";

/** What the consumer of a {@link SimpleInformer} does when objects change. Calls must not be asynchronous. */
export interface SimpleHandler<O> {
  added?(object: O, isInInitialList: boolean): void;
  updated?(old: O, object: O): void;
  /** Gets the last state that was seen, which may not be the last there was. */
  deleted?(object: O): void;
}

/** How a {@link SimpleInformer} lists, watches and keeps objects. @see client-go tools/cache InformerOptions */
export interface SimpleInformerOptions<O> extends ReflectorOptions {
  /** Default: no index. */
  readonly indexers?: Indexers<O> | undefined;
  /** Applied once to each object. Default: none. */
  readonly transform?: ((object: O) => O) | undefined;
}

/**
 * An informer for a single consumer, which is called as part of it: if a call throws, the informer ends.
 *
 * @see client-go tools/cache NewInformerWithOptions
 */
export class SimpleInformer<O> {
  readonly #source: ListerWatcher<O>;
  readonly #handler: SimpleHandler<O>;
  readonly #options: SimpleInformerOptions<O>;
  readonly #indexer: Indexer<O>;
  readonly #fifo: DeltaFIFO<O>;

  constructor(source: ListerWatcher<O>, handler: SimpleHandler<O>, options: SimpleInformerOptions<O> = {}) {
    this.#source = source;
    this.#handler = handler;
    this.#options = options;
    const { indexers, name = options.kind && gvkKey(options.kind) } = options;
    this.#indexer = new Indexer<O>({
      indexers,
      kind: name,
      onIndexError: indexErrorLog(safeLogger(options.logger ?? silentLogger)),
    });
    this.#fifo = new DeltaFIFO<O>({ transform: options.transform });
  }

  get indexer(): IndexReader<O> {
    return this.#indexer;
  }

  get hasSynced(): boolean {
    return this.#fifo.hasSynced;
  }

  /** Lists and watches until the signal aborts. @throws what the handler throws */
  async run(signal: AbortSignal): Promise<void> {
    const broken = new AbortController();
    const reflector = new Reflector(this.#source, this.#fifo, this.#options);
    const reflecting = reflector.run(AbortSignal.any([signal, broken.signal])).finally(() => this.#fifo.close());
    try {
      const sink = this.#sink();
      while (await this.#fifo.pop((delta, isInitial) => processDelta(delta, this.#indexer, sink, isInitial)));
    } finally {
      broken.abort();
      await reflecting;
    }
  }

  #sink(): ChangeSink<O> {
    const handler = this.#handler;
    return {
      onAdd: (object, isInInitialList) => handler.added?.(object, isInInitialList),
      onUpdate: (old, object) => handler.updated?.(old, object),
      onDelete: (object) => handler.deleted?.(lastStateOf(object)),
      onSync: (object) => handler.updated?.(object, object),
    };
  }
}
