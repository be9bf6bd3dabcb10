import { gvkKey } from "@kubewright/apimachinery";
import { safeLogger, silentLogger } from "@kubewright/log";
import { Reflector, type ReflectorOptions } from "../reflector/reflector.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { DeltaFIFO } from "../store/delta-fifo.ts";
import { type ChangeSink, Indexer, type IndexReader, lastStateOf, processDelta } from "../store/indexer.ts";
import { type Indexers, indexErrorLog } from "../store/indexes.ts";

/** Callbacks of an {@link IndexerInformer} for changes to objects. They must be synchronous. */
export interface IndexerInformerHandler<O> {
  added?(object: O, isInInitialList: boolean): void;
  updated?(old: O, object: O): void;
  /** Called with the last known state, which may be older than the final state. */
  deleted?(object: O): void;
}

/**
 * Options for listing, watching and storing objects in an {@link IndexerInformer}.
 *
 * @see client-go tools/cache InformerOptions
 */
export interface IndexerInformerOptions<O> extends ReflectorOptions {
  /** Indexes, keyed by name. Default: none. */
  readonly indexers?: Indexers<O> | undefined;
  /** Applied once to each object. Default: none. */
  readonly transform?: ((object: O) => O) | undefined;
}

/**
 * An informer for a single consumer. If a handler call throws, the informer stops.
 *
 * @see client-go tools/cache NewIndexerInformer and NewInformerWithOptions
 */
export class IndexerInformer<O> {
  readonly #source: ListerWatcher<O>;
  readonly #handler: IndexerInformerHandler<O>;
  readonly #options: IndexerInformerOptions<O>;
  readonly #indexer: Indexer<O>;
  readonly #fifo: DeltaFIFO<O>;

  constructor(source: ListerWatcher<O>, handler: IndexerInformerHandler<O>, options: IndexerInformerOptions<O> = {}) {
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

  /** Lists and watches until the signal aborts. @throws any error that the handler throws */
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
