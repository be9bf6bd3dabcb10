import {
  type DeepReadonly,
  joinKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  mutableCopy,
  notFound,
  type ObjectKey,
  type Stored,
} from "@kubewright/apimachinery";
import { kubeList, type ListOptions, type Reader, type ReadWriter } from "@kubewright/client";
import type { Expectation, ExpectingCache, WriteExpectations } from "../own-writes/expectations.ts";
import { keyOfTarget } from "../own-writes/target-key.ts";
import { fakeClient } from "./fake-client.ts";

type Objects = Map<ObjectKey, KubeObject>;

/** A server of one kind whose cache learns of changes when it is told to. */
export class LaggingCluster implements ExpectingCache {
  readonly server: Objects = new Map();
  readonly cached: Objects = new Map();
  /** How often the server was read. */
  liveReads = 0;
  /** Whether the cache watches the kind. */
  isWatched = true;
  #version = 0;
  #waiting: (() => void)[] = [];

  /** The client of a controller: reads the cache, writes to the server. */
  get client(): ReadWriter {
    const write = async (object: unknown): Promise<never> => this.put(object as KubeObject) as never;
    const merge = async (
      kind: Kind,
      target: KeyLike | { readonly metadata: object },
      patch: object,
    ): Promise<never> => {
      const key = keyOfTarget(target as KeyLike);
      const present = this.server.get(key);
      if (!present) throw notFound({ group: kind.group, resource: kind.kind }, key);
      return write({ ...present, ...patch, metadata: present.metadata });
    };
    return {
      ...fakeClient(),
      ...this.#reader(this.cached),
      create: (_kind, object) => write(object),
      update: (_kind, object) => write(object),
      apply: (_kind, object) => write(object),
      patch: merge,
      delete: async (kind, target) => {
        if (!this.server.delete(keyOfTarget(target))) throw notFound({ group: kind.group, resource: kind.kind }, "x");
        this.#version++;
      },
      deleteCollection: async () => this.server.clear(),
      status: { update: (_kind, object) => write(object), patch: merge, apply: (_kind, object) => write(object) },
    };
  }

  get live(): Reader {
    const { get, list } = this.#reader(this.server);
    const counted = <A>(answer: A): A => {
      this.liveReads++;
      return answer;
    };
    return {
      get: (kind, key, options) => counted(get(kind, key, options)),
      list: (kind, options) => counted(list(kind, options)),
    };
  }

  liveReader = (reader: Reader): Reader => reader;

  readonly expectations: WriteExpectations = {
    ofWrite: (_kind, { metadata }) => {
      const key = joinKey(metadata.namespace, metadata.name);
      const { resourceVersion = "" } = metadata;
      return this.#expect(() => Number(this.cached.get(key)?.metadata.resourceVersion ?? 0) >= Number(resourceVersion));
    },
    ofDeletion: (_kind, key, known) => {
      const uid = known ?? this.cached.get(String(key))?.metadata.uid;
      return uid === undefined ? [] : this.#expect(() => this.cached.get(String(key))?.metadata.uid !== uid);
    },
    ofDeletions: (kind) =>
      new Map([...this.cached.keys()].map((key) => [key, this.expectations.ofDeletion(kind, key)] as const)),
  };

  put(object: KubeObject): KubeObject {
    const resourceVersion = String(++this.#version);
    const stored = { ...object, metadata: { uid: `uid-${resourceVersion}`, ...object.metadata, resourceVersion } };
    this.server.set(keyOf(stored), stored);
    return mutableCopy(stored);
  }

  /** The cache learns of everything. */
  catchUp(): void {
    this.cached.clear();
    for (const [key, object] of this.server) this.cached.set(key, object);
    for (const check of this.#waiting.splice(0)) check();
  }

  #expect(claim: () => boolean): Expectation[] {
    const waiting = this.#waiting;
    const expectation: Expectation = {
      get isMet() {
        return claim();
      },
      met: (signal) =>
        new Promise((resolve) => {
          const check = (): void => {
            if (claim() || signal?.aborted) resolve(claim());
            else waiting.push(check);
          };
          signal?.addEventListener("abort", check, { once: true });
          check();
        }),
    };
    return this.isWatched ? [expectation] : [];
  }

  #reader(objects: Objects): Reader {
    return {
      get: async <T extends KubeObject>(kind: Kind<T>, key: KeyLike) => {
        const object = objects.get(String(key));
        if (!object) throw notFound({ group: kind.group, resource: kind.kind }, String(key));
        return object as DeepReadonly<KubeObject> as Stored<DeepReadonly<T>>;
      },
      list: async <T extends KubeObject>(_kind: Kind<T>, { namespace }: ListOptions = {}) =>
        kubeList(
          [...objects.values()].filter(
            ({ metadata }) => !namespace || metadata.namespace === namespace,
          ) as DeepReadonly<KubeObject>[] as Stored<DeepReadonly<T>>[],
          {},
        ),
    };
  }
}
