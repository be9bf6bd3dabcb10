import {
  type DeepReadonly,
  isNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  type Stored,
} from "@kubewright/apimachinery";
import type {
  ApplyConfiguration,
  ApplyOptions,
  Creatable,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  KubeList,
  ListOptions,
  PatchBody,
  PatchOptions,
  Reader,
  ReadWriter,
  StatusWriter,
  SubResourceWriter,
  Target,
  Writable,
  WriteOptions,
} from "@kubewright/client";
import { notingStatus, notingSubResource } from "./noting-writers.ts";
import { isOf, type OwnWrite, type OwnWrites } from "./own-writes.ts";
import { RequestNotes } from "./request-notes.ts";
import { keyFrom } from "./target-key.ts";

export interface NotingClientOptions<R> {
  readonly client: ReadWriter;
  /** Answers in place of `client` where that is behind `unseen`. */
  readonly live: Reader;
  readonly ownWrites: OwnWrites<R>;
  readonly request: R;
  /** What is not to be waited for any longer. */
  readonly unseen: readonly OwnWrite[];
}

/** The client of one reconcile: notes what it writes, and reads live what the cache should show by now and does not. */
export class NotingClient<R> implements ReadWriter {
  readonly #options: NotingClientOptions<R>;
  readonly #client: ReadWriter;
  readonly #notes: RequestNotes<R>;

  constructor(options: NotingClientOptions<R>) {
    this.#options = options;
    this.#client = options.client;
    this.#notes = new RequestNotes(options.ownWrites, options.request);
  }

  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>> {
    const { unseen } = this.#options;
    if (unseen.length === 0) return this.#client.get(kind, key, options);
    const wanted = keyFrom(key);
    const write = unseen.find((each) => each.key === wanted && isOf(each, kind));
    return write ? this.#getLive(kind, write, options) : this.#client.get(kind, key, options);
  }

  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const { unseen } = this.#options;
    if (unseen.length === 0) return this.#client.list(kind, options);
    const writes = unseen.filter((each) => isOf(each, kind) && isWithin(each, options.namespace));
    return writes.length > 0 ? this.#listLive(kind, writes, options) : this.#client.list(kind, options);
  }

  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#notes.written(kind, this.#client.create(kind, object, options), options);
  }

  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#notes.written(kind, this.#client.update(kind, object, options), options);
  }

  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T>> {
    return this.#notes.written(kind, this.#client.patch(kind, target, patch, options), options);
  }

  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>> {
    return this.#notes.written(kind, this.#client.apply(kind, configuration, options), options);
  }

  delete(kind: Kind, target: Target, options: DeleteOptions = {}): Promise<void> {
    const { dryRun, preconditions } = options;
    const deleting = () => this.#client.delete(kind, target, options);
    return this.#notes.deleted(kind, target, deleting, { dryRun, uid: preconditions?.uid });
  }

  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void> {
    return this.#notes.deletedAll(kind, () => this.#client.deleteCollection(kind, options), options);
  }

  get status(): StatusWriter {
    return notingStatus(this.#client.status, this.#notes);
  }

  subResource<N extends string>(name: N): SubResourceWriter<N> {
    return notingSubResource(this.#client.subResource(name), name, this.#notes);
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
      if (object || isWhole) found(object); // one that is missing in a selection may only not be selected
    }
    return objects;
  }
}

const isWithin = ({ key }: OwnWrite, namespace: string | undefined): boolean =>
  !namespace || key.startsWith(`${namespace}/`);
