import type { ListerWatcher, SourceEvent } from "../source/lister-watcher.ts";
import { metaIfAny } from "../store/object-meta.ts";

/** Namespaces whose objects a cache keeps; see `InformerCache.keepOnly`. An instance must not change. */
export interface KeptNamespaces {
  /** Reports whether a namespace is one of them. */
  has(namespace: string): boolean;
  /** `none` if no namespace is kept, `all` if every namespace is. */
  readonly extent: "none" | "some" | "all";
  /** Selector with which a server selects at least these namespaces; see `ListOptions`. Default: the server selects all namespaces. */
  readonly shardSelector?: string | undefined;
}

const every: KeptNamespaces = { has: () => true, extent: "all" };
const none: KeptNamespaces = { has: () => false, extent: "none" };

/**
 * The part of a kind's objects that an informer keeps. When the kept namespaces change, the informer lists again. Until the store contains
 * that list, added namespaces are not {@link isStored}.
 *
 * The server may ignore the selector, so objects of other namespaces are dropped before they reach the store.
 */
export class KeptPart {
  #wanted: KeptNamespaces;
  /** Namespaces of the current list and the watch that follows it. */
  #requested = none;
  /** Namespaces of the lists that the store does not contain yet. */
  readonly #queued: KeptNamespaces[] = [];
  #stored = none;

  constructor(wanted: KeptNamespaces) {
    this.#wanted = wanted;
  }

  /** True once the informer keeps the objects of all namespaces, whatever {@link keep} is called with. */
  get isWhole(): boolean {
    return this.#wanted === every;
  }

  /** Sets the namespaces to keep. @returns true if the informer must be restarted */
  keep(wanted: KeptNamespaces): boolean {
    if (this.isWhole) return false;
    this.#wanted = wanted;
    return true;
  }

  /** Keeps all namespaces from now on. @returns true if the informer must be restarted */
  keepAll(): boolean {
    return this.keep(every);
  }

  /** Reports whether the objects of a namespace are kept, or will be. For `undefined`, reports on all namespaces. */
  keeps(namespace: string | undefined): boolean {
    return isIn(this.#wanted, namespace);
  }

  /** Reports whether the store contains the objects of a namespace. For `undefined`, reports on all namespaces. */
  isStored(namespace: string | undefined): boolean {
    return isIn(this.#wanted, namespace) && isIn(this.#stored, namespace);
  }

  /** Returns a source of the kept objects. */
  limit<O>(source: ListerWatcher<O>): ListerWatcher<O> {
    const selected = <R extends object>(request: R): R => {
      const { extent, shardSelector } = this.#requested;
      return extent === "all" || shardSelector === undefined ? request : { ...request, shardSelector };
    };
    const isKept = (object: O): boolean => this.#requested.has(metaIfAny(object)?.namespace ?? "");
    const isWanted = (event: SourceEvent<O>): boolean => event.type === "BOOKMARK" || isKept(event.object);
    const { deferring, currentVersion } = source;
    return {
      supportsWatchList: source.supportsWatchList,
      get retryError() {
        return source.retryError;
      },
      begin: () => {
        this.#requested = this.#wanted;
        return this.#requested.extent !== "none";
      },
      queued: () => void this.#queued.push(this.#requested),
      applied: () => {
        this.#stored = this.#queued.shift() ?? none;
      },
      list: async (request) => {
        const page = await source.list(selected(request));
        return { ...page, items: page.items.filter(isKept) };
      },
      async *watch(request) {
        for await (const events of source.watch(selected(request))) {
          const kept = (isBatch(events) ? events : [events]).filter(isWanted);
          if (kept.length > 0) yield kept;
        }
      },
      ...(currentVersion ? { currentVersion: currentVersion.bind(source) } : {}),
      ...(deferring ? { deferring: (...options) => this.limit(deferring.apply(source, options)) } : {}),
    };
  }
}

const isIn = ({ has, extent }: KeptNamespaces, namespace: string | undefined): boolean =>
  extent === "all" || (namespace !== undefined && namespace !== "" && has(namespace));

const isBatch = <O>(events: SourceEvent<O> | readonly SourceEvent<O>[]): events is readonly SourceEvent<O>[] =>
  Array.isArray(events);
