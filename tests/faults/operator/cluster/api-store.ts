import { alreadyExists, applyMergePatch, conflict, expired, notFound } from "@kubewright/apimachinery";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { type ApiResource, apiResources, apiVersionOf } from "./api-resource.ts";
import type { NewObject, StoredObject } from "./stored-object.ts";

/** A change of one object, as reported by watches. */
export interface StoredChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly version: number;
  readonly object: StoredObject;
}

export interface Key {
  readonly namespace: string;
  readonly name: string;
}

interface Table {
  readonly objects: Map<string, StoredObject>;
  readonly changes: StoredChange[];
  /** Changes up to this version are dropped. */
  compactedTo: number;
}

const idOf = ({ namespace, name }: Key): string => `${namespace}/${name}`;

/**
 * The objects of an API server, with its handling of versions, generations, finalizers and deleted owners. Refuses writes with a
 * `StatusError`.
 */
export class ApiStore {
  readonly #clock: Clock;
  readonly #tables = new Map<ApiResource, Table>(
    apiResources.map((resource) => [resource, { objects: new Map(), changes: [], compactedTo: 0 }]),
  );
  readonly #listeners = new Set<(resource: ApiResource, change: StoredChange) => void>();
  #version = 1;
  #uid = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get version(): number {
    return this.#version;
  }

  /** @returns function that ends it */
  listen(listener: (resource: ApiResource, change: StoredChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  list(resource: ApiResource, namespace = ""): readonly StoredObject[] {
    const all = [...this.#table(resource).objects.values()];
    return namespace === "" ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  find(resource: ApiResource, key: Key): StoredObject | undefined {
    return this.#table(resource).objects.get(idOf(key));
  }

  get(resource: ApiResource, key: Key): StoredObject {
    const found = this.find(resource, key);
    if (!found) throw notFound({ group: resource.group, resource: resource.plural }, key.name);
    return found;
  }

  create(resource: ApiResource, namespace: string, object: NewObject): StoredObject {
    const { name } = object.metadata;
    if (this.find(resource, { namespace, name }))
      throw alreadyExists({ group: resource.group, resource: resource.plural }, name);
    const metadata = {
      ...object.metadata,
      ...(namespace === "" ? {} : { namespace }),
      uid: `uid-${++this.#uid}`,
      generation: 1,
      creationTimestamp: rfc3339(this.#clock.now()),
    };
    return this.#put(resource, "ADDED", { ...object, metadata });
  }

  /** @param part what the patch may change: `status`, or everything else */
  patch(resource: ApiResource, key: Key, change: object, part: "status" | "object" = "object"): StoredObject {
    const found = this.get(resource, key);
    const patched = applyMergePatch(found, change) as StoredObject;
    return this.#replace(resource, found, patched, part);
  }

  update(resource: ApiResource, key: Key, object: NewObject): StoredObject {
    const found = this.get(resource, key);
    return this.#replace(resource, found, { ...found, ...object, metadata: { ...found.metadata, ...object.metadata } });
  }

  /** Requests a deletion, which happens once there are no finalizers. */
  delete(resource: ApiResource, key: Key, uid?: string): StoredObject {
    const found = this.get(resource, key);
    if (uid !== undefined && uid !== found.metadata.uid)
      throw conflict(
        { group: resource.group, resource: resource.plural },
        key.name,
        `the UID is ${found.metadata.uid}`,
      );
    const { finalizers = [], deletionTimestamp, generation } = found.metadata;
    if (finalizers.length === 0) return this.#remove(resource, found);
    if (deletionTimestamp !== undefined) return found;
    const metadata = {
      ...found.metadata,
      deletionTimestamp: rfc3339(this.#clock.now()),
      generation: generation + 1,
    };
    return this.#put(resource, "MODIFIED", { ...found, metadata });
  }

  /**
   * Returns the changes after a version.
   *
   * @throws {StatusError} 410 if they are dropped
   */
  changesAfter(resource: ApiResource, version: number): readonly StoredChange[] {
    const { changes, compactedTo } = this.#table(resource);
    if (version < compactedTo) throw expired(`too old resource version: ${version} (${compactedTo})`);
    return changes.filter((change) => change.version > version);
  }

  /** Drops all changes so far. */
  compact(): void {
    for (const table of this.#tables.values()) {
      table.changes.length = 0;
      table.compactedTo = this.#version;
    }
  }

  /** Deletes the dependents of deleted controllers, like the garbage collector. */
  collectGarbage(): void {
    const uids = new Set(apiResources.flatMap((resource) => this.list(resource).map(({ metadata }) => metadata.uid)));
    for (const resource of apiResources)
      for (const { metadata } of this.list(resource)) {
        const { ownerReferences = [], namespace = "", name } = metadata;
        if (ownerReferences.some(({ controller, uid }) => controller && !uids.has(uid)))
          this.delete(resource, { namespace, name });
      }
  }

  #replace(resource: ApiResource, found: StoredObject, next: StoredObject, part: "status" | "object" = "object") {
    const { resourceVersion, uid, creationTimestamp, deletionTimestamp, generation, name } = found.metadata;
    if (next.metadata.resourceVersion !== resourceVersion)
      throw conflict(
        { group: resource.group, resource: resource.plural },
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    const { status: _status, ...rest } = next;
    const kept = part === "status" ? { ...found, status: next.status } : { ...rest, status: found.status };
    const isOther = JSON.stringify(kept.spec) !== JSON.stringify(found.spec);
    const metadata = {
      ...kept.metadata,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      uid,
      creationTimestamp,
      generation: generation + (isOther ? 1 : 0),
    };
    const { status, ...others } = kept;
    const object = { ...others, ...(status === undefined ? {} : { status }), metadata };
    if (JSON.stringify(object) === JSON.stringify(found)) return found;
    if (deletionTimestamp !== undefined && !metadata.finalizers?.length) return this.#remove(resource, object);
    return this.#put(resource, "MODIFIED", object);
  }

  #remove(resource: ApiResource, object: Omit<StoredObject, "apiVersion" | "kind">): StoredObject {
    const { namespace = "", name } = object.metadata;
    this.#table(resource).objects.delete(idOf({ namespace, name }));
    return this.#notify(resource, "DELETED", object);
  }

  #put(
    resource: ApiResource,
    type: StoredChange["type"],
    object: Omit<StoredObject, "apiVersion" | "kind" | "metadata"> & {
      readonly metadata: Omit<StoredObject["metadata"], "resourceVersion">;
    },
  ): StoredObject {
    const stored = this.#notify(resource, type, object);
    const { namespace = "", name } = stored.metadata;
    this.#table(resource).objects.set(idOf({ namespace, name }), stored);
    return stored;
  }

  #notify(
    resource: ApiResource,
    type: StoredChange["type"],
    object: Parameters<ApiStore["create"]>[2] & {
      readonly metadata: Omit<StoredObject["metadata"], "resourceVersion">;
    },
  ): StoredObject {
    const version = ++this.#version;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    const stored = { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
    const change = { type, version, object: stored };
    this.#table(resource).changes.push(change);
    for (const listener of [...this.#listeners]) listener(resource, change);
    return stored;
  }

  #table(resource: ApiResource): Table {
    const table = this.#tables.get(resource);
    if (!table) throw new Error(`there is no ${resource.plural}`);
    return table;
  }
}
