import { expired, type KubeObject, keyOf } from "@kubewright/apimachinery";
import type { ListerWatcher, ListPage, ListRequest, SourceEvent, WatchRequest } from "../source/lister-watcher.ts";
import { EventChannel } from "./event-channel.ts";

/** Capabilities of a {@link FakeListWatch}. */
export interface FakeListWatchOptions {
  /** True if watches support `sendInitialEvents`. Default false, as in upstream's fakes. */
  readonly supportsWatchList?: boolean | undefined;
}

interface Change<T> {
  readonly version: number;
  readonly event: SourceEvent<T>;
}

type Channel<T> = EventChannel<SourceEvent<T>>;

/**
 * An in-memory server for one kind. Changes are numbered 1, 2, 3, …, and a watch delivers all changes after its start
 * version. The server records every request, and tests can make the next requests fail.
 *
 * @see client-go tools/cache/testing/fake_controller_source.go
 */
export class FakeListWatch<T extends KubeObject = KubeObject> implements ListerWatcher<T> {
  readonly supportsWatchList: boolean;
  /** The list requests so far. */
  readonly lists: ListRequest[] = [];
  /** The watch requests so far. */
  readonly watches: WatchRequest[] = [];
  readonly #objects = new Map<string, T>();
  readonly #open = new Set<Channel<T>>();
  #changes: Change<T>[] = [];
  #version = 0;
  #compactedTo = 0;
  #listFailures: unknown[] = [];
  #watchFailures: unknown[] = [];

  constructor(options: FakeListWatchOptions = {}) {
    this.supportsWatchList = options.supportsWatchList ?? false;
  }

  /** The newest version. */
  get version(): number {
    return this.#version;
  }

  /** Number of watches that have not ended. */
  get openWatches(): number {
    return this.#open.size;
  }

  /** The objects currently on the server. */
  get objects(): readonly T[] {
    return [...this.#objects.values()];
  }

  /**
   * Stores an object with the next version, sends the event to open watches, and returns the stored object. {@link modify} and {@link
   * delete} do the same for their changes.
   */
  add(object: T): T {
    return this.#change("ADDED", object, true);
  }

  modify(object: T): T {
    return this.#change("MODIFIED", object, true);
  }

  delete(object: T): T {
    return this.#change("DELETED", object, true);
  }

  /** Adds an object without sending the event to open watches, as if their connections had been cut just before. */
  addUnseen(object: T): T {
    return this.#change("ADDED", object, false);
  }

  /** Modifies an object without sending the event; see {@link addUnseen}. */
  modifyUnseen(object: T): T {
    return this.#change("MODIFIED", object, false);
  }

  /** Deletes an object without sending the event; see {@link addUnseen}. */
  deleteUnseen(object: T): T {
    return this.#change("DELETED", object, false);
  }

  /** Sends a bookmark with the newest version to open watches. */
  bookmark(): void {
    for (const channel of this.#open) channel.push(this.#bookmarkAt(this.#version));
  }

  /** Sends an arbitrary event, to test events that servers should not send. */
  send(event: SourceEvent<T>): void {
    for (const channel of this.#open) channel.push(event);
  }

  /** Ends all open watches. */
  cutWatches(): void {
    for (const channel of this.#take()) channel.end();
  }

  /** Sends nothing more to open watches, but leaves them open. */
  stallWatches(): void {
    this.#open.clear();
  }

  /** Fails all open watches. */
  failWatches(error: unknown): void {
    for (const channel of this.#take()) channel.fail(error);
  }

  /** Ends all open watches and drops the history. Watches from an earlier version then fail with 410. */
  resetWatches(): void {
    this.#changes = [];
    this.#compactedTo = this.#version;
    this.cutWatches();
  }

  /**
   * Simulates a server that was restored from a backup: it has these objects and continues from `version`, and open watches stay silent.
   */
  restore(objects: readonly T[], version: number): void {
    this.#version = version;
    this.#changes = [];
    this.#compactedTo = 0;
    this.#objects.clear();
    for (const object of objects) this.#objects.set(keyOf(object), structuredClone(object));
  }

  /** Makes one of the next lists fail with each of these errors. */
  failNextLists(...errors: readonly unknown[]): void {
    this.#listFailures.push(...errors);
  }

  /** Makes one of the next watches fail to open with each of these errors. */
  failNextWatches(...errors: readonly unknown[]): void {
    this.#watchFailures.push(...errors);
  }

  async list(request: ListRequest): Promise<ListPage<T>> {
    this.lists.push(withoutSignal(request));
    if (this.#listFailures.length > 0) throw this.#listFailures.shift();
    request.signal?.throwIfAborted();
    const start = Number(request.continue ?? 0);
    const end = request.limit ? start + request.limit : Number.POSITIVE_INFINITY;
    const items = this.objects.slice(start, end).map((object) => structuredClone(object));
    const resourceVersion = String(this.#version);
    return {
      items,
      metadata: end < this.#objects.size ? { resourceVersion, continue: String(end) } : { resourceVersion },
    };
  }

  async currentVersion(): Promise<string> {
    return String(this.#version);
  }

  watch(request: WatchRequest): AsyncIterable<SourceEvent<T>> {
    this.watches.push(withoutSignal(request));
    const channel: Channel<T> = new EventChannel(request.signal, () => this.#open.delete(channel));
    if (this.#watchFailures.length > 0) {
      channel.fail(this.#watchFailures.shift());
      return channel;
    }
    if (request.signal?.aborted) return channel;
    this.#open.add(channel);
    if (request.sendInitialEvents) this.#sendInitialEvents(channel);
    else this.#sendChangesSince(Number(request.resourceVersion || this.#version), channel);
    return channel;
  }

  #sendInitialEvents(channel: Channel<T>): void {
    for (const object of this.objects) channel.push({ type: "ADDED", object: structuredClone(object) });
    channel.push(this.#bookmarkAt(this.#version, { "k8s.io/initial-events-end": "true" }));
  }

  #sendChangesSince(version: number, channel: Channel<T>): void {
    if (version < this.#compactedTo) {
      this.#open.delete(channel);
      channel.fail(expired(`too old resource version: ${version} (${this.#compactedTo})`));
      return;
    }
    for (const change of this.#changes) if (change.version > version) channel.push(structuredClone(change.event));
  }

  #change(type: "ADDED" | "MODIFIED" | "DELETED", object: T, isSeen: boolean): T {
    const resourceVersion = String(++this.#version);
    const stored = { ...structuredClone(object), metadata: { ...structuredClone(object.metadata), resourceVersion } };
    if (type === "DELETED") this.#objects.delete(keyOf(object));
    else this.#objects.set(keyOf(object), stored);
    const event: SourceEvent<T> = { type, object: stored };
    this.#changes.push({ version: this.#version, event });
    if (isSeen) for (const channel of this.#open) channel.push(structuredClone(event));
    return stored;
  }

  #bookmarkAt(version: number, annotations?: Record<string, string>): SourceEvent<T> {
    const metadata = { resourceVersion: String(version), ...(annotations ? { annotations } : {}) };
    return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "Bookmark", metadata } };
  }

  #take(): Channel<T>[] {
    const channels = [...this.#open];
    this.#open.clear();
    return channels;
  }
}

function withoutSignal<R extends { readonly signal?: unknown }>({ signal: _, ...request }: R): Omit<R, "signal"> {
  return request;
}
