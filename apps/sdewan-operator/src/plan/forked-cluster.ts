import { isDeepStrictEqual } from "node:util";
import {
  alreadyExists,
  applyMergePatch,
  conflict,
  type DeepReadonly,
  type DefinedKind,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  notFound,
  type ObjectKey,
  type Stored,
  splitKey,
} from "@kubewright/apimachinery";
import {
  type KubeList,
  kubeList,
  type ListOptions,
  type Reader,
  type ReadWriter,
  type Target,
} from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { addIndexes } from "../cnf/indexes.ts";
import { addPacketIndexes } from "../effect/shadows.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";

type Values = Readonly<Record<string, unknown>>;

/** The effect of applying an object to a cluster. */
export type Applied = "create" | "change" | "unchanged";

/**
 * An in-memory copy of a cluster, to which reconcilers can write. Objects of the copy's own kinds are copied when they
 * are first read. All other kinds are read from the cluster each time, and cannot be written. A write replaces an
 * object instead of modifying it, so that readers can share the stored objects.
 */
export class ForkedCluster {
  readonly #live: Reader;
  readonly #clock: Pick<Clock, "now">;
  readonly #own: ReadonlySet<string>;
  readonly #kinds = new Map<string, Promise<Map<string, KubeObject>>>();
  readonly #indexes = new Map<string, (object: DeepReadonly<KubeObject>) => readonly string[]>();
  /** Values of each version of an object in the indexes, by field. */
  readonly #values = new WeakMap<KubeObject, Map<string, readonly string[]>>();
  #version = 0;

  /** @param kinds the kinds to copy */
  constructor(live: Reader, kinds: readonly DefinedKind[], clock: Pick<Clock, "now">) {
    this.#live = live;
    this.#clock = clock;
    this.#own = new Set(kinds.map(idOf));
    const indexer = {
      indexField: (kind: Kind, field: string, extract: (object: never) => readonly string[]): void =>
        void this.#indexes.set(
          `${idOf(kind)} ${field}`,
          extract as (object: DeepReadonly<KubeObject>) => readonly string[],
        ),
    };
    addIndexes(indexer, ruleKinds);
    addPacketIndexes(indexer, ruleKinds);
  }

  /** Reads and writes the copy. */
  get client(): ReadWriter {
    const refuse = (): never => {
      throw new Error("not available in a plan");
    };
    return {
      get: (kind, key) => this.#get(kind, key),
      list: (kind, options = {}) => this.#list(kind, options),
      create: async (kind, object) => (await this.#create(kind, structuredClone(object) as KubeObject)) as never,
      patch: async (kind, target, patch, options) => (await this.#patch(kind, target, patch, options)) as never,
      delete: (kind, target) => this.#delete(kind, target),
      status: {
        patch: async (kind, target, patch) => (await this.#patch(kind, target, { status: patch }, {})) as never,
        update: refuse,
        apply: refuse,
      },
      update: refuse,
      apply: refuse,
      deleteCollection: refuse,
      subResource: refuse,
    };
  }

  /** Applies an object as `kubectl apply` does: the spec is replaced, labels and annotations are added. */
  async apply(kind: DefinedKind, object: KubeObject): Promise<Applied> {
    const objects = await this.#objectsOf(kind);
    const before = objects.get(keyOf(object));
    if (!before) {
      await this.#create(kind, object);
      return "create";
    }
    const { labels, annotations } = object.metadata;
    const metadata = {
      ...before.metadata,
      ...(labels || before.metadata.labels ? { labels: { ...before.metadata.labels, ...labels } } : {}),
      ...(annotations || before.metadata.annotations
        ? { annotations: { ...before.metadata.annotations, ...annotations } }
        : {}),
    };
    const isSame = isDeepStrictEqual([specOf(before), before.metadata], [specOf(object), metadata]);
    if (isSame) return "unchanged";
    this.#put(objects, { ...before, ...("spec" in object ? { spec: object.spec } : {}), metadata });
    return "change";
  }

  /** Replaces an object, or removes it if `object` is undefined. Undoes {@link apply} and deletions. */
  async restore(kind: DefinedKind, key: ObjectKey, object: DeepReadonly<KubeObject> | undefined): Promise<void> {
    const objects = await this.#objectsOf(kind);
    if (object) objects.set(key, structuredClone(object) as KubeObject);
    else objects.delete(key);
  }

  async #objectsOf(kind: Kind): Promise<Map<string, KubeObject>> {
    const load = async (): Promise<Map<string, KubeObject>> => {
      const found = await this.#live.list(kind);
      return new Map(found.map((object) => [keyOf(object), structuredClone(object) as KubeObject]));
    };
    const objects = this.#kinds.get(idOf(kind)) ?? load();
    this.#kinds.set(idOf(kind), objects);
    return objects;
  }

  async #get<T extends KubeObject>(kind: Kind<T>, key: KeyLike): Promise<Stored<DeepReadonly<T>>> {
    if (!this.#own.has(idOf(kind))) return this.#live.get(kind, key);
    return (await this.#found(kind, key)) as Stored<DeepReadonly<T>>;
  }

  async #found(kind: Kind, key: KeyLike): Promise<KubeObject> {
    const { namespace, name } = splitKey(key);
    const found = (await this.#objectsOf(kind)).get(keyOf({ metadata: { name, ...(namespace ? { namespace } : {}) } }));
    if (!found) throw notFound({ group: kind.group, resource: kind.kind }, name);
    return found;
  }

  async #list<T extends KubeObject>(kind: Kind<T>, options: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    if (!this.#own.has(idOf(kind))) return this.#live.list(kind, options);
    const { namespace, fields } = options;
    const selected = Object.entries({ ...Object(fields) } as Record<string, string>);
    const found = [...(await this.#objectsOf(kind)).values()].filter(
      (object) =>
        (namespace === undefined || object.metadata.namespace === namespace) &&
        selected.every(([field, value]) => this.#valuesOf(kind, field, object).includes(value)),
    );
    return kubeList(found as Stored<DeepReadonly<T>>[], { resourceVersion: "" });
  }

  #valuesOf(kind: Kind, field: string, object: KubeObject): readonly string[] {
    const known = this.#values.get(object) ?? new Map<string, readonly string[]>();
    this.#values.set(object, known);
    let values = known.get(field);
    if (!values) {
      const extract = this.#indexes.get(`${idOf(kind)} ${field}`);
      if (!extract) throw new Error(`${kind.kind} has no index on ${field}`);
      values = extract(object);
      known.set(field, values);
    }
    return values;
  }

  async #create(kind: Kind, object: KubeObject): Promise<KubeObject> {
    const objects = await this.#objectsOf(kind);
    const { name, namespace = "" } = object.metadata;
    if (objects.has(keyOf(object))) throw alreadyExists({ group: kind.group, resource: kind.kind }, name);
    return this.#put(objects, {
      ...object,
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: {
        ...object.metadata,
        uid: `planned ${kind.kind} ${namespace}/${name}`,
        creationTimestamp: new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z"),
      },
    });
  }

  /** Stores an object, and increases its generation if its spec has changed. */
  #put(objects: Map<string, KubeObject>, object: KubeObject): KubeObject {
    const before = objects.get(keyOf(object));
    const isChanged = !isDeepStrictEqual(before && specOf(before), specOf(object));
    const generation = (before?.metadata.generation ?? 0) + (isChanged || !before ? 1 : 0);
    const stored = { ...object, metadata: { ...object.metadata, generation, resourceVersion: `${++this.#version}` } };
    objects.set(keyOf(object), stored);
    return stored;
  }

  async #patch(
    kind: Kind,
    target: Target,
    patch: unknown,
    { optimisticLock = false }: { readonly optimisticLock?: boolean | undefined } = {},
  ): Promise<KubeObject> {
    const key = keyIn(target);
    const found = await this.#found(kind, key);
    const version = typeof target === "object" && "metadata" in target ? target.metadata.resourceVersion : undefined;
    if (optimisticLock && version !== found.metadata.resourceVersion)
      throw conflict({ group: kind.group, resource: kind.kind }, found.metadata.name, "the object has been modified");
    const patched = applyMergePatch(found, patch) as KubeObject;
    const objects = await this.#objectsOf(kind);
    if (!patched.metadata.deletionTimestamp || patched.metadata.finalizers?.length) return this.#put(objects, patched);
    objects.delete(keyOf(patched));
    return patched;
  }

  /** Deletes an object. An object with finalizers only gets a deletion timestamp. */
  async #delete(kind: Kind, target: Target): Promise<void> {
    const found = await this.#found(kind, keyIn(target));
    const objects = await this.#objectsOf(kind);
    if (!found.metadata.finalizers?.length) objects.delete(keyOf(found));
    else
      this.#put(objects, {
        ...found,
        metadata: { ...found.metadata, deletionTimestamp: new Date(this.#clock.now()).toISOString() },
      });
  }
}

const idOf = ({ group, kind }: Kind): string => `${group}/${kind}`;

const specOf = (object: KubeObject): Values | undefined => ("spec" in object ? { ...Object(object.spec) } : undefined);

const keyIn = (target: Target): KeyLike =>
  typeof target === "object" && "metadata" in target
    ? { name: target.metadata.name, namespace: target.metadata.namespace }
    : target;
