import {
  encodeContinue,
  eventOf,
  everything,
  type SelectionPredicate,
  type Storage,
  type StorageEvent,
  type StorageListOptions,
  type StorageListResult,
  type StorageWatch,
  type StorageWatchOptions,
  type StoredObject,
} from "@kubewright/storage";
import type { VersionConverter } from "./resource.ts";

/**
 * Lists and watches objects that another server converts, and evaluates selectors on the converted objects. All objects
 * under the prefix are converted, as in upstream, whose watch caches contain converted objects; the converter caches
 * the results.
 */
export class ConvertedSelection {
  readonly #storage: Storage;
  readonly #converter: VersionConverter;
  readonly #keyOf: (object: StoredObject) => string;

  constructor(storage: Storage, converter: VersionConverter, keyOf: (object: StoredObject) => string) {
    this.#storage = storage;
    this.#converter = converter;
    this.#keyOf = keyOf;
  }

  /** Returns matching objects in their converted form. @throws {StatusError} if they cannot be converted */
  async getList(prefix: string, { limit = 0, predicate, ...options }: StorageListOptions): Promise<StorageListResult> {
    const isExact = limit > 0 && (options.resourceVersion ?? "") !== "" && (options.resourceVersionMatch ?? "") === "";
    const state = await this.#storage.getList(prefix, {
      ...options,
      ...(isExact ? { resourceVersionMatch: "Exact" } : {}),
      predicate: everything,
    });
    const items: StoredObject[] = [];
    let startKey = "";
    for (const object of await this.#converter.toServed(state.items)) {
      if (limit > 0 && items.length === limit) {
        const token = encodeContinue({ resourceVersion: Number(state.metadata.resourceVersion), startKey });
        return { items, metadata: { ...state.metadata, continue: token } };
      }
      if (!predicate.matches(object)) continue;
      items.push(object);
      startKey = `/${this.#keyOf(object).slice(prefix.length)}\u0000`;
    }
    return { items, metadata: state.metadata };
  }

  /** Watches matching objects in their stored form. The reader receives an error if they cannot be converted. */
  watch(prefix: string, { predicate, ...options }: StorageWatchOptions): StorageWatch {
    const watch = this.#storage.watch(prefix, { ...options, predicate: everything });
    const batches = (): AsyncGenerator<readonly StorageEvent[]> => this.#selected(watch, predicate);
    return {
      batches,
      async *[Symbol.asyncIterator]() {
        for await (const events of batches()) yield* events;
      },
      requestProgress: () => watch.requestProgress(),
      get isOver() {
        return watch.isOver;
      },
    };
  }

  async *#selected(watch: StorageWatch, predicate: SelectionPredicate): AsyncGenerator<readonly StorageEvent[]> {
    for await (const events of watch.batches()) {
      const stored = [...new Set(events.flatMap(comparedObjects))];
      const served = await this.#converter.toServed(stored);
      const matching = new Set(stored.filter((object, i) => predicate.matches(served[i] ?? object)));
      const chosen = events.flatMap((event) => selectedEvent(event, (object) => matching.has(object)) ?? []);
      if (chosen.length > 0) yield chosen;
    }
  }
}

/** Returns the objects that the selector is compared with, to decide whether a watcher receives an event. */
function comparedObjects(event: StorageEvent): readonly StoredObject[] {
  if (event.type === "BOOKMARK") return [];
  const previous = event.change?.previous;
  return [...(event.change?.deleted ? [] : [event.object]), ...(previous ? [previous] : [])];
}

function selectedEvent(event: StorageEvent, matches: (object: StoredObject) => boolean): StorageEvent | undefined {
  if (event.type === "BOOKMARK") return event;
  if (event.change) return eventOf(event.change, { isEmpty: false, matches });
  return matches(event.object) ? event : undefined;
}
