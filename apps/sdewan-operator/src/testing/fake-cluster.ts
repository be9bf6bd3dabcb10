import {
  alreadyExists,
  applyMergePatch,
  checkObjectKey,
  conflict,
  type DeepReadonly,
  type KeyLike,
  type Kind,
  type KubeObject,
  kindOf,
  notFound,
  type Stored,
  splitKey,
  type Unstructured,
} from "@kubewright/apimachinery";
import {
  type KubeList,
  kubeList,
  type ListOptions,
  type PatchOptions,
  type ReadWriter,
  type Target,
} from "@kubewright/client";
import { addIndexes } from "../cnf/indexes.ts";
import { addPacketIndexes } from "../effect/shadows.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { addSecretIndexes } from "../secrets/triggers.ts";

/** An in-memory cluster, with the API server behavior on which the reconcilers rely. */
export class FakeCluster {
  readonly #objects = new Map<string, KubeObject>();
  readonly #indexes = new Map<string, (object: DeepReadonly<KubeObject>) => readonly string[]>();
  #version = 0;

  constructor() {
    addIndexes(this, ruleKinds);
    addSecretIndexes(this, ruleKinds);
    addPacketIndexes(this, ruleKinds);
  }

  /** Adds an index, as a cache does. */
  indexField<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    extract: (object: DeepReadonly<T>) => readonly string[],
  ): void {
    this.#indexes.set(`${kind.kind} ${field}`, (object) => extract(object as DeepReadonly<T>));
  }

  /** Stores an object; versions and uids are filled in. */
  put<T extends KubeObject>(
    kind: Kind<T>,
    object: Partial<T> & { metadata: { name: string; namespace?: string } },
  ): Stored<T> {
    this.#version++;
    const { name, namespace = "" } = object.metadata;
    const metadata = {
      uid: `${kind.kind}-${namespace}-${name}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
      ...object.metadata,
      resourceVersion: String(this.#version),
    };
    const stored: KubeObject = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, ...object, metadata };
    this.#objects.set(this.#id(kind, object.metadata), stored);
    return stored as Stored<T>;
  }

  /** Returns the stored object, if any. */
  peek<T extends KubeObject>(kind: Kind<T>, key: KeyLike): Stored<T> | undefined {
    checkObjectKey(`get ${kind.kind}`, splitKey(key));
    return this.#objects.get(this.#id(kind, splitKey(key))) as Stored<T> | undefined;
  }

  /** Stores an object under its own kind. */
  restore<T extends KubeObject>(object: T): T {
    return this.put<T>(kindOf(object), object);
  }

  /** Returns the stored object of the same kind and name, if any. */
  get(object: KubeObject): Unstructured | undefined {
    const { name, namespace } = object.metadata;
    return this.peek<Unstructured>(kindOf(object), { name, namespace });
  }

  remove(kind: Kind, key: KeyLike): void {
    this.#objects.delete(this.#id(kind, splitKey(key)));
  }

  /** The part of a client that reconcilers use. */
  get client(): ReadWriter {
    const patch = async <T extends KubeObject>(
      kind: Kind<T>,
      target:
        | KeyLike
        | {
            readonly metadata: {
              readonly name: string;
              readonly namespace?: string | undefined;
              readonly resourceVersion?: string | undefined;
            };
          },
      change: unknown,
      options: PatchOptions = {},
    ): Promise<Stored<T>> => this.#patch(kind, target, change, options);
    const unused = (): never => {
      throw new Error("not used by reconcilers");
    };
    return {
      get: async <T extends KubeObject>(kind: Kind<T>, key: KeyLike) => {
        const found = this.peek(kind, key);
        if (!found) throw notFound({ group: kind.group, resource: kind.kind }, splitKey(key).name);
        return structuredClone(found) as KubeObject as Stored<DeepReadonly<T>>;
      },
      list: async (kind, options = {}) => this.#list(kind, options),
      patch: (kind, target, change, options) => patch(kind, target, change, options),
      status: {
        patch: (kind, target, change, options) => patch(kind, target, { status: change }, options),
        update: unused,
        apply: unused,
      },
      create: async (kind, object) => this.#create(kind, object as KubeObject) as never,
      update: unused,
      apply: unused,
      delete: async (kind, target) => this.#delete(kind, target),
      deleteCollection: unused,
      subResource: unused,
    };
  }

  #create(kind: Kind, object: KubeObject): KubeObject {
    const key = { name: object.metadata.name, namespace: object.metadata.namespace };
    if (this.peek(kind, key)) throw alreadyExists({ group: kind.group, resource: kind.kind }, object.metadata.name);
    return this.put(kind, structuredClone(object));
  }

  /** Deletes an object. An object with finalizers only gets a deletion timestamp, as on a server. */
  #delete(kind: Kind, target: Target): void {
    const at = typeof target === "object" && "metadata" in target ? target.metadata : splitKey(target);
    const key = { name: at.name, namespace: at.namespace };
    const found = this.peek(kind, key);
    if (!found) throw notFound({ group: kind.group, resource: kind.kind }, at.name);
    if (!found.metadata.finalizers?.length) this.remove(kind, key);
    else this.put(kind, { ...found, metadata: { ...found.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" } });
  }

  #list<T extends KubeObject>(
    kind: Kind<T>,
    { namespace, labels, fields }: ListOptions,
  ): KubeList<Stored<DeepReadonly<T>>> {
    const required = Object.entries((labels ?? {}) as Record<string, string>);
    const selected = Object.entries((fields ?? {}) as Record<string, string>);
    const prefix = `${kind.group}/${kind.kind} `;
    const items = [...this.#objects]
      .reverse() // lists of a cache are not sorted
      .filter(([id]) => id.startsWith(prefix))
      .map(([, object]) => object)
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
      .filter(({ metadata }) => required.every(([key, value]) => metadata.labels?.[key] === value))
      .filter((object) => selected.every(([field, value]) => this.#valuesOf(kind, field, object).includes(value)));
    return kubeList(structuredClone(items) as KubeObject[] as Stored<DeepReadonly<T>>[], {
      resourceVersion: String(this.#version),
    });
  }

  #valuesOf(kind: Kind, field: string, object: KubeObject): readonly string[] {
    const extract = this.#indexes.get(`${kind.kind} ${field}`);
    if (!extract) throw new Error(`Index with name field:${field} does not exist`);
    return extract(object);
  }

  #patch<T extends KubeObject>(
    kind: Kind<T>,
    target:
      | KeyLike
      | {
          readonly metadata: {
            readonly name: string;
            readonly namespace?: string | undefined;
            readonly resourceVersion?: string | undefined;
          };
        },
    change: unknown,
    { optimisticLock = false }: PatchOptions,
  ): Stored<T> {
    const at = typeof target === "object" && "metadata" in target ? target.metadata : splitKey(target);
    const found = this.peek(kind, { namespace: at.namespace, name: at.name });
    const resource = { group: kind.group, resource: kind.kind };
    if (!found) throw notFound(resource, at.name);
    const version = "resourceVersion" in at ? at.resourceVersion : undefined;
    if (optimisticLock && version !== found.metadata.resourceVersion)
      throw conflict(resource, at.name, "the object has been modified");
    const patched = applyMergePatch(found, change) as Stored<T>;
    if (patched.metadata.deletionTimestamp && !patched.metadata.finalizers?.length) {
      this.remove(kind, { namespace: at.namespace, name: at.name });
      return patched;
    }
    const isSpecChanged = JSON.stringify(specOf(patched)) !== JSON.stringify(specOf(found));
    const generation = (found.metadata.generation ?? 0) + (isSpecChanged ? 1 : 0);
    return this.put(kind, { ...patched, metadata: { ...patched.metadata, generation } });
  }

  #id(kind: Kind, { namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string {
    return `${kind.group}/${kind.kind} ${namespace ?? ""}/${name}`;
  }
}

const specOf = (object: KubeObject): unknown => ("spec" in object ? object.spec : undefined);
