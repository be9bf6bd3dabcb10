import {
  checkNamespace,
  checkObjectKey,
  type DeepReadonly,
  describedResource,
  joinKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  missingNamespace,
  notFound,
  type ObjectKey,
  pluralOf,
  type Stored,
  splitKey,
} from "@kubewright/apimachinery";
import type { GetOptions, KubeList, ListOptions, NamedObject, Reader, SelectionOptions } from "@kubewright/client";
import { cachedKindKey, type SharedInformer } from "../informer/shared-informer.ts";
import type { Indexers } from "../store/indexes.ts";
import { labelSelectorOf } from "../store/lister.ts";
import { metaOf, versionOf } from "../store/object-meta.ts";
import { type CacheDescription, type CachedKindOptions, checkSettings, keptNamespaces } from "./cache-options.ts";
import type { InformerGroup } from "./informer-group.ts";
import type { KeptPart } from "./kept-part.ts";
import { type CommonInformerOptions, inNoNamespace, KindInformers } from "./kind-informers.ts";
import {
  exactFields,
  fieldIndex,
  fieldIndexName,
  havingFields,
  listUpTo,
  matchesFields,
  requireIndexes,
} from "./list-queries.ts";
import { shown } from "./write-expectations.ts";

/** State of an object in a cache. */
export type CachedObjectInspection =
  /** The kind has no informer. */
  | { readonly state: "unknown" }
  /** The informer has not received its initial list, or keeps only other namespaces, because of its shards. */
  | { readonly state: "unsynced" }
  /** The cache contains only these namespaces. */
  | { readonly state: "outside"; readonly namespaces: readonly string[] }
  /** The cache does not contain the object. With a selector, it may still exist. */
  | { readonly state: "absent"; readonly hasSelector: boolean }
  | {
      readonly state: "present";
      readonly resourceVersion: string;
      readonly deletionTimestamp?: string | undefined;
      readonly finalizers: readonly string[];
    };

/** Options for `InformerCache.inspectKeys`. */
export interface CachedKeysOptions {
  /** Maximum number of keys. */
  readonly limit: number;
  readonly search?: string | undefined;
  readonly namespace?: string | undefined;
  readonly after?: string | undefined;
}

/** A page of a kind's keys, in order. */
export interface CachedKeys {
  readonly keys: readonly string[];
  /** Total number of matching keys, across all pages. */
  readonly total: number;
}

/** The part of a cache for one kind: the kind's settings and, once requested, its informers. */
export class KindCache<T extends KubeObject> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly #indexes = new Map<string, (object: Stored<DeepReadonly<T>>) => readonly string[]>();
  readonly #inherited: () => CachedKindOptions<T> | undefined;
  #options: CachedKindOptions<T> | undefined;
  #informers: KindInformers<T> | undefined;

  /** @param inherited returns the settings to use if none were configured for the kind */
  constructor(kind: Kind<T>, inherited: () => CachedKindOptions<T> | undefined = () => undefined) {
    this.kind = kind;
    this.#inherited = inherited;
    this.name = cachedKindKey(kind);
  }

  /** The informers; `undefined` until they are requested. */
  get group(): InformerGroup<T> | undefined {
    return this.#informers?.group;
  }

  /** The options passed to {@link configure}. */
  get settings(): CachedKindOptions<T> | undefined {
    return this.#options;
  }

  /** Returns the namespaces in which the kind is cached, if the kind has its own namespace setting. */
  describe(): CacheDescription | undefined {
    const namespaces = this.#options?.namespaces;
    return namespaces && { resources: [describedResource(this.kind)], namespaces: keptNamespaces(namespaces) };
  }

  /** True if the kind was configured or indexed, or its informer was requested. */
  get isKnown(): boolean {
    return this.#informers !== undefined || this.#settings !== undefined || this.#indexes.size > 0;
  }

  /** Sets the kind's options. @throws {Error} if the kind already has informers; {RangeError} if a setting is invalid */
  configure(options: CachedKindOptions<T>): void {
    checkSettings(this.name, options);
    if (this.kind.scope === "Cluster" && options.namespaces !== undefined) throw inNoNamespace(this.name, options);
    if (this.#informers) throw new Error(`${this.name} is already cached; configure it before it is first used`);
    this.#options = options;
  }

  /** Adds an index on a field. @throws {Error} if the field is already indexed with a different function */
  indexField(field: string, extract: (object: Stored<DeepReadonly<T>>) => readonly string[]): void {
    const known = this.#indexes.get(field);
    if (known === extract) return;
    if (known) throw new Error(`indexer conflict: ${this.name} already has an index by ${field}`);
    this.#indexes.set(field, extract);
    this.group?.addIndexers({ [fieldIndexName(field)]: fieldIndex(extract) });
  }

  /** Returns the function that extracts a field's values, or `undefined` if the field is not indexed. */
  extractOf(field: string): ((object: Stored<DeepReadonly<T>>) => readonly string[]) | undefined {
    return this.#indexes.get(field);
  }

  /** Reports whether the selectors for an object's namespace select the object. */
  selects(object: NamedObject): boolean {
    const { labels, fields } = this.#informers?.configOf(object.metadata.namespace) ?? {};
    const byLabels = labelSelectorOf(labels);
    if (byLabels && !byLabels.matches(metaOf(object).labels ?? {})) return false;
    if (this.group?.part?.keeps(object.metadata.namespace) === false) return false;
    return matchesFields(object, fields);
  }

  /** See `InformerCache.behind`. */
  async behind(live: Reader, { signal }: GetOptions): Promise<string[]> {
    const informers = this.#informers;
    if (!informers?.group.hasSynced) return [];
    const each = [...informers.group.members].map(async ([namespace, informer]) => {
      const { labels, fields } = informers.configOf(namespace) ?? {};
      const { part } = informers.group;
      const all = await live.list(this.kind, { namespace: namespace || undefined, labels, fields, signal });
      const listed = all.filter((object) => part?.isStored(object.metadata.namespace) !== false);
      const present = new Set<ObjectKey>(listed.map(keyOf));
      const newer = listed.filter((object) => !shown(informer, keyOf(object), versionOf(object)).isMet).map(keyOf);
      const deleted = informer.indexer.list().map(keyOf);
      return [...newer, ...deleted.filter((key) => !present.has(key))].map((key) => `${this.name} ${key}`);
    });
    return (await Promise.all(each)).flat();
  }

  /** Returns the informers. The first call creates them. They keep all objects, or the given part. */
  open(options: CommonInformerOptions, part?: KeptPart): InformerGroup<T> {
    if (!this.#informers) {
      const indexers: Indexers<Stored<DeepReadonly<T>>> = Object.fromEntries(
        [...this.#indexes].map(([field, extract]) => [fieldIndexName(field), fieldIndex(extract)]),
      );
      this.#informers = new KindInformers(this.kind, this.#settings ?? {}, indexers, options, part);
    }
    return this.#informers.group;
  }

  /** Stops the informers and drops their objects. */
  async close(): Promise<void> {
    const informers = this.#informers;
    this.#informers = undefined;
    await informers?.group.stop();
  }

  /**
   * Returns an object. @throws {StatusError} `NotFound`; {Error} for a key that is not valid for this kind, or a namespace that is not
   * cached
   */
  get(group: InformerGroup<T>, key: KeyLike): Stored<DeepReadonly<T>> {
    const known = typeof key === "string" ? group.members.get("")?.indexer.get(key) : undefined;
    if (known !== undefined) return known;
    const { namespace, name } = splitKey(key);
    checkObjectKey(`get ${this.kind.kind}`, { namespace, name });
    if (!namespace && this.kind.scope === "Namespaced") throw missingNamespace(`get ${this.kind.kind} ${name}`);
    for (const { indexer } of this.#of(group, namespace, () => `get ${joinKey(namespace, name)}`)) {
      // For cluster-scoped objects, a client ignores the key's namespace. Only such objects are stored under their name alone.
      const object = indexer.get(joinKey(namespace, name)) ?? indexer.get(name);
      if (object !== undefined) return object;
    }
    const { group: apiGroup, kind, plural = pluralOf(kind) } = this.kind;
    throw notFound({ group: apiGroup, resource: plural }, name);
  }

  /** See `InformerCache.inspectObject`. */
  inspectObject(key: KeyLike): CachedObjectInspection {
    const { namespace, name } = splitKey(key);
    const group = this.group;
    if (!group?.hasSyncedIn(namespace) || group.part?.isStored(namespace) === false)
      return { state: group ? "unsynced" : "unknown" };
    const informers = group.of(namespace);
    if (informers.length === 0) return { state: "outside", namespaces: [...group.members.keys()].toSorted() };
    for (const { indexer } of informers) {
      const object = indexer.get(joinKey(namespace, name));
      if (object === undefined) continue;
      const { deletionTimestamp, finalizers = [] } = metaOf(object);
      const deletion = deletionTimestamp === undefined ? {} : { deletionTimestamp };
      return { state: "present", resourceVersion: versionOf(object), finalizers, ...deletion };
    }
    const { labels, fields } = this.#informers?.configOf(namespace) ?? {};
    return { state: "absent", hasSelector: labels !== undefined || fields !== undefined };
  }

  /** See `InformerCache.inspectKeys`. */
  inspectKeys({ limit, search = "", namespace, after = "" }: CachedKeysOptions): CachedKeys {
    const keys: string[] = [];
    let total = 0;
    for (const { indexer } of this.group?.of(namespace) ?? [])
      for (const key of indexer.keys()) {
        if (!key.includes(search) || (namespace && !key.startsWith(`${namespace}/`))) continue;
        total++;
        const last = keys.at(-1);
        if (key <= after || (keys.length >= limit && last !== undefined && key > last)) continue;
        keys.splice(placeOf(keys, key), 0, key);
        if (keys.length > limit) keys.pop();
      }
    return { keys, total };
  }

  /** Returns the selected objects. @throws {Error} for a namespace that is invalid or not cached, or a field without an index */
  list(group: InformerGroup<T>, options: ListOptions): KubeList<Stored<DeepReadonly<T>>> {
    checkNamespace(`list ${this.kind.kind}`, options.namespace);
    const informers = this.#of(group, options.namespace, () => `list in ${options.namespace}`);
    requireIndexes(this.kind, options.fields, (field) => this.#indexes.has(field));
    const [only] = informers;
    const resourceVersion = informers.length === 1 ? only?.indexer.resourceVersion : undefined;
    return listUpTo(options.limit, selected(informers, options), resourceVersion ? { resourceVersion } : {});
  }

  /**
   * Returns the informers of a namespace. Throws if there are none: the cache then cannot know the result, so `NotFound` or an empty list
   * would be wrong.
   */
  #of(group: InformerGroup<T>, namespace: string | undefined, what: () => string): readonly SharedInformer<T>[] {
    const informers = group.of(namespace);
    if (informers.length > 0) return informers;
    const kept = [...group.members.keys()].map((name) => `"${name}"`).join(", ");
    throw new Error(
      `unable to ${what()} because of unknown namespace for the cache: it contains ${this.name} only from ${kept}; ` +
        "add the namespace to `namespaces`, or read from the server",
    );
  }

  get #settings(): CachedKindOptions<T> | undefined {
    return this.#options ?? this.#inherited();
  }
}

/** Returns the index of a key in sorted keys. */
function placeOf(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* selected<T extends KubeObject>(
  informers: readonly SharedInformer<T>[],
  { namespace, labels, fields }: SelectionOptions,
): Iterable<Stored<DeepReadonly<T>>> {
  const wanted = fields === undefined ? [] : exactFields(fields);
  const selector = labelSelectorOf(labels);
  for (const { indexer } of informers)
    for (const object of havingFields(indexer, wanted, namespace))
      if (!selector || selector.matches(metaOf(object).labels ?? {})) yield object;
}
