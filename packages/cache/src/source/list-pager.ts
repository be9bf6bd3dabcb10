import { isExpired, type ListMeta } from "@kubewright/apimachinery";
import type { ListerWatcher, ListPage, ListRequest } from "./lister-watcher.ts";

/** Options for a {@link ListPager}. */
export interface ListPagerOptions {
  /** Number of objects per page; 0 requests all objects in one page. Default 500. */
  readonly pageSize?: number | undefined;
  /** True to request the whole list in one page if a later page has expired, instead of failing. Default true. */
  readonly fullListIfExpired?: boolean | undefined;
  /** Number of pages that {@link ListPager.pages} prefetches in addition to the next one. Default 5. */
  readonly pageBufferSize?: number | undefined;
}

/** A complete list, assembled from all its pages. */
export interface FullList<O> extends ListPage<O> {
  readonly metadata: Readonly<ListMeta>;
  /** True if the server sent more than one page. */
  readonly isPaginated: boolean;
}

/**
 * Lists objects in pages.
 *
 * @see client-go tools/pager ListPager
 */
export class ListPager<O> {
  readonly #list: ListerWatcher<O>["list"];
  readonly #pageSize: number;
  readonly #fullListIfExpired: boolean;
  readonly #pageBufferSize: number;

  constructor(list: ListerWatcher<O>["list"], options: ListPagerOptions = {}) {
    const { pageSize = 500 } = options;
    if (!(pageSize > 0))
      throw new RangeError(`pageSize must be positive, got ${pageSize}; use Infinity to request all objects at once`);
    this.#list = list;
    this.#pageSize = pageSize;
    this.#fullListIfExpired = options.fullListIfExpired ?? true;
    this.#pageBufferSize = options.pageBufferSize ?? 5;
  }

  /**
   * Returns all objects, in the server's order.
   *
   * @throws {StatusError} `Expired` if a later page has expired and `fullListIfExpired` is false
   * @throws {Error} if the server repeats a `continue` token
   * @throws the signal's reason
   */
  async list(request: ListRequest = {}): Promise<FullList<O>> {
    const items: O[] = [];
    const known = new Set<string>();
    let pages = 0;
    let asked = this.#first(request);
    for (;;) {
      let page: ListPage<O>;
      try {
        page = await this.#fetch(asked);
      } catch (error) {
        if (!isExpired(error) || !this.#fullListIfExpired || !asked.continue) throw error;
        const { resourceVersion, resourceVersionMatch, signal } = request;
        return { ...(await this.#fetch({ resourceVersion, resourceVersionMatch, signal })), isPaginated: true };
      }
      pages++;
      const token = page.metadata.continue;
      if (pages === 1 && !token) return { ...page, isPaginated: false };
      for (const item of page.items) items.push(item);
      if (!token) return { ...page, metadata: withoutPaging(page.metadata), items, isPaginated: true };
      asked = this.#next(request, token, known);
    }
  }

  /** Yields all objects, page by page. @throws the same errors as {@link pages} */
  async *items(request: ListRequest = {}): AsyncGenerator<O, void, undefined> {
    for await (const page of this.pages(request))
      for (const item of page.items) {
        request.signal?.throwIfAborted();
        yield item;
      }
  }

  /**
   * Yields each page. Further pages are fetched in the background until the caller leaves the loop.
   *
   * @throws the same errors as {@link list}, except that `Expired` is always thrown if a page has expired, after the pages before it
   */
  async *pages(request: ListRequest = {}): AsyncGenerator<ListPage<O>, void, undefined> {
    const left = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, left.signal]) : left.signal;
    const pageRequest = { ...request, signal };
    const known = new Set<string>();
    const fetched: Promise<ListPage<O>>[] = [];
    const fetchNext = (previous: Promise<ListPage<O>> | undefined): void => {
      const page = previous
        ? previous.then(({ metadata }) =>
            metadata.continue ? this.#fetch(this.#next(pageRequest, metadata.continue, known)) : none(),
          )
        : this.#fetch(this.#first(pageRequest));
      page.catch(() => {}); // rethrown where the page is awaited
      fetched.push(page);
    };
    fetchNext(undefined);
    try {
      for (let last = fetched[0]; fetched.length > 0; ) {
        const page = await fetched.shift();
        request.signal?.throwIfAborted();
        if (!page || page === endOfList) return;
        while (fetched.length <= this.#pageBufferSize) {
          fetchNext(last);
          last = fetched.at(-1);
        }
        yield page;
      }
    } finally {
      left.abort();
    }
  }

  async #fetch(request: ListRequest): Promise<ListPage<O>> {
    request.signal?.throwIfAborted();
    return this.#list(request);
  }

  #first(request: ListRequest): ListRequest {
    const limit = request.limit ?? this.#pageSize;
    return { ...request, limit: Number.isFinite(limit) && limit !== 0 ? limit : undefined };
  }

  /** Returns the request for the next page. It must not contain a version, because a continued list has the version of its first page. */
  #next(request: ListRequest, token: string, known: Set<string>): ListRequest {
    if (known.size === known.add(token).size)
      throw new Error("the server sent the same continue token twice, so the list would never end");
    const { limit } = this.#first(request);
    return { limit, continue: token, signal: request.signal };
  }
}

const endOfList: ListPage<never> = { metadata: {}, items: [] };
const none = async (): Promise<ListPage<never>> => endOfList;

const withoutPaging = ({ resourceVersion }: ListMeta): ListMeta => (resourceVersion ? { resourceVersion } : {});
