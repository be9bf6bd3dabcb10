import type { Unstructured } from "@kubewright/apimachinery";
import type {
  ClosableStorage,
  Preconditions,
  StorageDeleteOptions,
  StorageEvent,
  StorageListOptions,
  StorageListResult,
  StorageParts,
  StorageWatch,
  StorageWatchOptions,
  StoredObject,
  Update,
} from "@kubewright/storage";
import { MemoryStorage } from "@kubewright/storage";
import { definitionsPrefix, type LiveCopy } from "./live-copy.ts";

/** Difference between the resource versions of copied objects and of later writes, so that no version is used twice. */
const versionGap = 1_000_000_000;

/** The number of writes to an object, and the object's states before and after the last write. */
export interface ChangeCount {
  readonly count: number;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject;
}

/** In-memory storage that copies a resource's objects from a live cluster when they are first needed. */
export class ForkStorage implements ClosableStorage {
  readonly #inner: MemoryStorage;
  readonly #copy: LiveCopy;
  /** Copies, keyed by resource prefix or namespace prefix. The value is undefined once the copy has been made. */
  readonly #copies = new Map<string, Promise<boolean> | undefined>();
  /** Prefixes of the resources that have been read or written. */
  readonly prefixes: Set<string> = new Set();
  /** Objects that were written since the storage was opened, keyed by object key. */
  readonly changed: Map<string, ChangeCount> = new Map();
  /** UIDs of objects that were removed from the copy. */
  readonly removed: Set<string> = new Set();
  /**
   * False while the server creates the objects that it needs itself. Until then, reading or writing an individual object copies nothing.
   */
  isOpen = false;

  private constructor(parts: StorageParts, copy: LiveCopy) {
    this.#inner = new MemoryStorage(parts);
    this.#copy = copy;
  }

  /** Opens a storage, and copies the CustomResourceDefinitions. @throws {PlanError} if the cluster cannot be read */
  static async open(parts: StorageParts, copy: LiveCopy): Promise<ForkStorage> {
    const storage = new ForkStorage({ ...parts, historyLength: 100_000, watchBuffer: 100_000 }, copy);
    await storage.copied(definitionsPrefix);
    storage.#inner.adopt({ resourceVersion: Number(copy.revision) + versionGap, objects: [] });
    return storage;
  }

  get versioner(): MemoryStorage["versioner"] {
    return this.#inner.versioner;
  }

  get maxObjectBytes(): number {
    return this.#inner.maxObjectBytes;
  }

  /**
   * Copies the objects for a key or prefix, unless they have already been copied.
   *
   * @returns undefined if nothing has to be copied
   */
  copied(key: string): Promise<void> | undefined {
    const [, group = "", resource = "", namespace = ""] = key.split("/");
    const prefix = `/${group}/${resource}/`;
    this.prefixes.add(prefix);
    if (this.#copies.has(prefix) && this.#copies.get(prefix) === undefined) return undefined;
    const place = `${prefix}${namespace}/`;
    if (this.#copies.has(place) && this.#copies.get(place) === undefined) return undefined;
    return this.#make(prefix, namespace);
  }

  async #make(prefix: string, namespace: string): Promise<void> {
    if (await this.#once(prefix, undefined)) return;
    // The user may be permitted to list only some namespaces.
    if (namespace !== "" && this.#copy.resources.get(prefix)?.isNamespaced) {
      const { group, resource } = this.#copy.resources.get(prefix) ?? { group: "", resource: "" };
      const name = group === "" ? resource : `${resource}.${group}`;
      const message = this.#copy.denied.get(name) ?? "";
      this.#copy.denied.delete(name);
      if (!(await this.#once(`${prefix}${namespace}/`, namespace))) this.#copy.denied.set(name, message);
    }
  }

  /** @returns false if the user may not list the objects */
  async #once(prefix: string, namespace: string | undefined): Promise<boolean> {
    const running = this.#copies.get(prefix);
    if (running) return running;
    if (this.#copies.has(prefix)) return true;
    const copying = this.#adopt(prefix, namespace);
    this.#copies.set(prefix, copying);
    if (await copying) this.#copies.set(prefix, undefined);
    return copying;
  }

  async #adopt(prefix: string, namespace: string | undefined): Promise<boolean> {
    const whole = namespace === undefined ? prefix : prefix.slice(0, -namespace.length - 1);
    const found = await this.#copy.copy(whole, namespace);
    if (found) this.#inner.adopt(found);
    return found !== undefined;
  }

  async #ready(key: string): Promise<void> {
    if (this.isOpen) await this.copied(key);
  }

  async create(key: string, object: Unstructured, options?: { readonly ttlSeconds?: number | undefined }) {
    await this.#ready(key);
    return this.#noteChange(key, undefined, await this.#inner.create(key, object, options));
  }

  async delete(key: string, options?: StorageDeleteOptions): Promise<StoredObject> {
    await this.#ready(key);
    return this.#noteRemoval(key, await this.#inner.delete(key, options));
  }

  async get(
    key: string,
    options?: { readonly resourceVersion?: string | undefined; readonly ignoreNotFound?: boolean | undefined },
  ): Promise<StoredObject | undefined> {
    await this.#ready(key);
    return this.#inner.get(key, options);
  }

  async getList(prefix: string, options: StorageListOptions): Promise<StorageListResult> {
    await this.copied(prefix);
    return this.#inner.getList(prefix, options);
  }

  async guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean | undefined; readonly preconditions?: Preconditions | undefined },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject> {
    await this.#ready(key);
    let isRemoval = false;
    let before: StoredObject | undefined;
    const object = await this.#inner.guaranteedUpdate(key, options, async (current) => {
      const update = await tryUpdate(current);
      isRemoval = "remove" in update;
      before = current;
      return update;
    });
    return isRemoval ? this.#noteRemoval(key, object) : this.#noteChange(key, before, object);
  }

  #noteChange(key: string, before: StoredObject | undefined, after: StoredObject): StoredObject {
    if (this.isOpen && before !== after)
      this.changed.set(key, { count: (this.changed.get(key)?.count ?? 0) + 1, before, after });
    return after;
  }

  #noteRemoval(key: string, removed: StoredObject): StoredObject {
    if (removed.metadata.uid) this.removed.add(removed.metadata.uid);
    return this.#noteChange(key, undefined, removed);
  }

  watch(prefix: string, options: StorageWatchOptions): StorageWatch {
    const ready = this.copied(prefix);
    const open = (): StorageWatch => this.#inner.watch(prefix, options);
    return ready ? new LateWatch(ready.then(open), options.signal) : open();
  }

  async count(prefix: string): Promise<number> {
    await this.copied(prefix);
    return this.#inner.count(prefix);
  }

  compact(resourceVersion: string): Promise<void> {
    return this.#inner.compact(resourceVersion);
  }

  currentResourceVersion(): number {
    return this.#inner.currentResourceVersion();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A watch that starts once its objects have been copied. */
class LateWatch implements StorageWatch {
  readonly #opening: Promise<StorageWatch>;
  readonly #signal: AbortSignal;
  #watch: StorageWatch | undefined;

  constructor(opening: Promise<StorageWatch>, signal: AbortSignal) {
    this.#signal = signal;
    this.#opening = opening.then((watch) => {
      this.#watch = watch;
      return watch;
    });
    this.#opening.catch(() => {}); // thrown to the reader
  }

  async *batches(): AsyncGenerator<readonly StorageEvent[]> {
    const watch = await this.#opening;
    yield* watch.batches();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StorageEvent> {
    for await (const events of this.batches()) yield* events;
  }

  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  get isOver(): boolean {
    return this.#watch ? this.#watch.isOver : this.#signal.aborted;
  }
}
