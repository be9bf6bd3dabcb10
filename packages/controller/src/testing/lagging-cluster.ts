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
import {
  aroundWrites,
  kubeList,
  type ListOptions,
  type Reader,
  type ReadWriter,
  type WriteCall,
} from "@kubewright/client";
import { type ExpectedWrite, type ExpectedWrites, type ExpectingCache, keyOfTarget } from "../read-your-own-writes.ts";
import { fakeClient } from "./fake-client.ts";

type Objects = Map<ObjectKey, KubeObject>;

/** A fake server for one kind, with a cache that shows changes only after {@link catchUp}. */
export class LaggingCluster implements ExpectingCache {
  readonly server: Objects = new Map();
  readonly cached: Objects = new Map();
  /** Number of reads from the server. */
  liveReads = 0;
  /** True if the cache watches the kind. */
  isWatched = true;
  #version = 0;
  #waiting: (() => void)[] = [];

  /** A controller's client, which reads from the cache and writes to the server. */
  get client(): ReadWriter {
    const reading = { ...fakeClient(), ...this.#reader(this.cached) };
    return aroundWrites(reading, async (call, next) =>
      call.body === undefined ? (this.#write(call) as never) : next(call),
    );
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

  readonly expectations: ExpectedWrites = {
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

  /** Updates the cache to the server's state. */
  catchUp(): void {
    this.cached.clear();
    for (const [key, object] of this.server) this.cached.set(key, object);
    for (const check of this.#waiting.splice(0)) check();
  }

  #write(call: WriteCall): KubeObject | undefined {
    if (call.verb === "deleteCollection") {
      this.server.clear();
      return undefined;
    }
    if (call.verb === "create" || call.verb === "update" || call.verb === "apply")
      return this.put(call.object as KubeObject);
    const key = keyOfTarget(call.object);
    const present = this.server.get(key);
    if (!present) throw notFound({ group: call.kind.group, resource: call.kind.kind }, key);
    if (call.verb === "patch") return this.put({ ...present, ...call.patch, metadata: present.metadata });
    this.server.delete(key);
    this.#version++;
    return undefined;
  }

  #expect(claim: () => boolean): ExpectedWrite[] {
    const waiting = this.#waiting;
    const expectation: ExpectedWrite = {
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
