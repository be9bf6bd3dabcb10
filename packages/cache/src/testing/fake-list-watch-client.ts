import { gvkKey, type Kind, type KubeObject } from "@kubewright/apimachinery";
import { type KubeList, kubeList, type ListOptions, type RawWatchEvent, type WatchOptions } from "@kubewright/client";
import type { SourceEvent } from "../source/lister-watcher.ts";
import { FakeListWatch, type FakeListWatchOptions } from "./fake-list-watch.ts";

/**
 * A fake client for informers and caches, with a {@link FakeListWatch} for each kind. Objects can be selected only by
 * namespace.
 */
export class FakeListWatchClient {
  readonly #options: FakeListWatchOptions;
  readonly #sources = new Map<string, FakeListWatch>();

  constructor(options: FakeListWatchOptions = {}) {
    this.#options = options;
  }

  /** Returns the source of a kind's objects. */
  source<T extends KubeObject>(kind: Kind<T>): FakeListWatch<T> {
    const key = gvkKey(kind);
    const known = this.#sources.get(key) as FakeListWatch<T> | undefined;
    if (known) return known;
    const source = new FakeListWatch<T>(this.#options);
    this.#sources.set(key, source);
    return source;
  }

  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const { namespace, ...request } = options;
    const { items, metadata } = await this.source(kind).list(request);
    return kubeList(
      items.filter((item) => isWithin(item, namespace)),
      metadata,
    );
  }

  async *watchRaw(kind: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
    const { namespace, ...request } = options;
    for await (const event of this.source(kind).watch(request))
      if (event.type === "BOOKMARK" || isWithin(event.object, namespace)) yield raw(event);
  }
}

const isWithin = ({ metadata }: KubeObject, namespace: string | undefined): boolean =>
  !namespace || metadata.namespace === namespace;

const raw = ({ type, object }: SourceEvent<KubeObject>): RawWatchEvent => ({
  type,
  object: Buffer.from(JSON.stringify(object)),
});
