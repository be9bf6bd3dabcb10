import { isInvalid, isStatusError, type Kind } from "@kubewright/apimachinery";
import type { ListWatchClient } from "@kubewright/cache";
import type { Client, ListOptions, RawWatchEvent, WatchOptions } from "@kubewright/client";

/** Hooks around the requests of a {@link NotingClient}. */
export interface RequestHooks {
  /** Called before each list request with its number, from 1. */
  readonly beforeList?: (number: number) => Promise<void>;
  /** Reads first lists from storage instead of the server's cache: only then does kube-apiserver answer in pages. */
  readonly listsFromStorage?: boolean;
}

/** A client for informers that records its requests and refusals. */
export class NotingClient implements ListWatchClient {
  readonly lists: ListOptions[] = [];
  readonly watches: WatchOptions[] = [];
  /** HTTP codes of failed requests, including the ERROR events of watches. */
  readonly refusals: { readonly verb: "list" | "watch"; readonly code: number }[] = [];
  /** False once an older server has rejected a streaming list. That request is not recorded. */
  hasStreamingLists = true;
  readonly list: Client["list"];
  readonly watch: Client["watch"];
  readonly #client: Client;
  readonly #hooks: RequestHooks;

  constructor(client: Client, hooks: RequestHooks = {}) {
    this.#client = client;
    this.#hooks = hooks;
    this.list = client.list.bind(client);
    this.watch = client.watch.bind(client);
  }

  get mapper(): Client["mapper"] {
    return this.#client.mapper;
  }

  async listRaw(kind: Kind, options: ListOptions = {}): Promise<Buffer> {
    this.lists.push(options);
    await this.#hooks.beforeList?.(this.lists.length);
    const fromStorage = this.#hooks.listsFromStorage && options.resourceVersion === "0";
    const asked = fromStorage ? { ...options, resourceVersion: undefined } : options;
    return this.#client.listRaw(kind, asked).catch((error: unknown) => this.#note("list", error));
  }

  async *watchBatches(
    kind: Kind,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
    this.watches.push(options);
    try {
      yield* this.#client.watchBatches(kind, options);
    } catch (error) {
      if (options.sendInitialEvents && isInvalid(error)) {
        this.hasStreamingLists = false;
        this.watches.splice(this.watches.indexOf(options), 1);
        throw error;
      }
      this.#note("watch", error);
    }
  }

  async *watchRaw(kind: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
    for await (const events of this.watchBatches(kind, options)) yield* events;
  }

  #note(verb: "list" | "watch", error: unknown): never {
    if (isStatusError(error)) this.refusals.push({ verb, code: error.status.code ?? 0 });
    throw error;
  }
}
