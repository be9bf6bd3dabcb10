import {
  type DeepReadonly,
  isMetadataOnly,
  joinKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  notFound,
  pluralOf,
  type Stored,
  splitKey,
} from "@kubewright/apimachinery";
import { type KubeList, kubeList, type ListOptions, type NamedObject, type SelectionOptions } from "@kubewright/client";
import { cachedKindKey } from "../informer/cached-kind-key.ts";
import type { Transform } from "../informer/incoming-transform.ts";
import type { InformerMetricsProvider } from "../informer/informer-metrics.ts";
import { SharedInformer, type SharedInformerOptions } from "../informer/shared-informer.ts";
import { clientListWatch, type ListWatchClient } from "../source/client-list-watch.ts";
import type { IndexReader } from "../store/index-reader.ts";
import type { Indexers } from "../store/index-set.ts";
import { namespaceIndex } from "../store/indexer.ts";
import { labelSelectorOf } from "../store/lister.ts";
import { metaNamespaceKeyOf, metaOf } from "../store/object-meta.ts";
import { clusterWide } from "./cluster-wide.ts";
import { byField, exactFields, fieldIndex, fieldIndexName, matchesFields, requireIndexes } from "./field-index.ts";
import { InformerGroup } from "./informer-group.ts";

/** What a cache keeps of one kind. */
export interface CachedKindOptions<T extends KubeObject> extends Omit<SelectionOptions, "namespace"> {
  /** Keep only objects of these namespaces; reading from others throws. Default: those of the cache. */
  readonly namespaces?: readonly string[] | undefined;
  /** Applied once to each object. It must leave `uid` and `creationTimestamp` alone. Default: none. */
  readonly transform?: Transform<T> | undefined;
}

/** What the informers of all kinds in a cache have in common. */
export interface CommonInformerOptions
  extends Omit<SharedInformerOptions<KubeObject>, "name" | "kind" | "indexers" | "transform" | "metrics"> {
  readonly client: ListWatchClient;
  /** Keep only objects of these namespaces, of kinds that are in namespaces; reading from others throws. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Makes the metrics of each informer. Default: none. */
  readonly metrics?: InformerMetricsProvider | undefined;
}

/** What a cache has of one kind: its settings first, and informers once somebody asks for them. */
export class KindCache<T extends KubeObject> {
  readonly name: string;
  readonly #kind: Kind<T>;
  readonly #indexes = new Map<string, (object: Stored<DeepReadonly<T>>) => readonly string[]>();
  #options: CachedKindOptions<T> = {};
  #group: InformerGroup<T> | undefined;

  constructor(kind: Kind<T>) {
    this.#kind = kind;
    this.name = cachedKindKey(kind);
  }

  /** The informers; `undefined` until somebody asks for them. */
  get group(): InformerGroup<T> | undefined {
    return this.#group;
  }

  /** @throws {Error} if there are informers already */
  configure(options: CachedKindOptions<T>): void {
    if (this.#group) throw new Error(`${this.name} is cached already, it is too late to configure it`);
    this.#options = options;
  }

  /** @throws {Error} if there is an index by that field with another function */
  indexField(field: string, extract: (object: Stored<DeepReadonly<T>>) => readonly string[]): void {
    const known = this.#indexes.get(field);
    if (known === extract) return;
    if (known) throw new Error(`indexer conflict: ${this.name} has an index by ${field} already`);
    this.#indexes.set(field, extract);
    this.#group?.addIndexers({ [fieldIndexName(field)]: fieldIndex(extract) });
  }

  /** The function that finds the values of a field; `undefined` if the field is not indexed. */
  extractOf(field: string): ((object: Stored<DeepReadonly<T>>) => readonly string[]) | undefined {
    return this.#indexes.get(field);
  }

  /** Whether the configured label and field selectors select an object. */
  selects(object: NamedObject): boolean {
    const { labels, fields } = this.#options;
    const byLabels = labelSelectorOf(labels);
    if (byLabels && !byLabels.matches(metaOf(object).labels ?? {})) return false;
    return matchesFields(object, fields);
  }

  /** The informers, which are made on the first call. */
  open(options: CommonInformerOptions): InformerGroup<T> {
    this.#group ??= this.#newGroup(options);
    return this.#group;
  }

  /** Ends the informers and forgets their objects. */
  async close(): Promise<void> {
    const group = this.#group;
    this.#group = undefined;
    await group?.stop();
  }

  /** @throws {StatusError} `NotFound`; {Error} for a namespace that is not kept */
  get(group: InformerGroup<T>, key: KeyLike): Stored<DeepReadonly<T>> {
    const known = typeof key === "string" ? group.members.get("")?.indexer.get(key) : undefined;
    if (known !== undefined) return known;
    const { namespace, name } = splitKey(key);
    for (const { indexer } of this.#of(group, namespace, () => `get ${joinKey(namespace, name)}`)) {
      const object = indexer.get(joinKey(namespace, name));
      if (object !== undefined) return object;
    }
    const { group: apiGroup, kind, plural = pluralOf(kind) } = this.#kind;
    throw notFound({ group: apiGroup, resource: plural }, name);
  }

  /** @throws {Error} for a namespace that is not kept, or a field that has no index */
  list(group: InformerGroup<T>, options: ListOptions): KubeList<Stored<DeepReadonly<T>>> {
    const informers = this.#of(group, options.namespace, () => `list in ${options.namespace}`);
    requireIndexes(this.#kind, options.fields, (field) => this.#indexes.has(field));
    const objects = informers.flatMap(({ indexer }) => select(indexer, options));
    const sorted = inOrderOfKeys(objects).slice(0, options.limit || undefined);
    const [only] = informers;
    const resourceVersion = informers.length === 1 ? only?.indexer.resourceVersion : undefined;
    return kubeList(sorted, resourceVersion ? { resourceVersion } : {});
  }

  /** The informers of a namespace. Where there are none, the answer is not known, so it must not be `NotFound` or an empty list. */
  #of(group: InformerGroup<T>, namespace: string | undefined, what: () => string): readonly SharedInformer<T>[] {
    const informers = group.of(namespace);
    if (informers.length > 0) return informers;
    const kept = [...group.members.keys()].map((name) => `"${name}"`).join(", ");
    throw new Error(
      `unable to ${what()} because of unknown namespace for the cache: it keeps ${this.name} of ${kept} only; ` +
        "add the namespace to `namespaces`, or read from the server",
    );
  }

  #newGroup(options: CommonInformerOptions): InformerGroup<T> {
    const { client, namespaces: defaultNamespaces, metrics: metricsOf, ...shared } = options;
    const { namespaces = defaultNamespaces, transform, labels, fields } = this.#options;
    const kind = this.#kind;
    const indexers: Indexers<Stored<DeepReadonly<T>>> = Object.fromEntries(
      [...this.#indexes].map(([field, extract]) => [fieldIndexName(field), fieldIndex(extract)]),
    );
    const isWhole = kind.scope === "Cluster" || !namespaces || namespaces.length === 0 || namespaces.includes("");
    const limits = isWhole ? [""] : namespaces;
    const members = limits.map((namespace): [string, SharedInformer<T>] => {
      const source = clientListWatch(client, kind, { namespace: namespace || undefined, labels, fields });
      const { group, version, plural: resource = pluralOf(kind.kind) } = kind;
      const isPartial = isMetadataOnly(kind);
      const metrics = metricsOf?.({ resource: { group, version, resource }, namespace, isMetadataOnly: isPartial });
      const informer = { ...shared, name: this.name, kind, indexers, transform, metrics };
      return [namespace, new SharedInformer<T>(source, informer)];
    });
    const isUnclear = kind.scope === undefined && members.length > 1;
    const { mapper } = client;
    return new InformerGroup(
      this.name,
      new Map(members),
      isUnclear && mapper ? clusterWide(mapper, kind, shared) : undefined,
    );
  }
}

function select<O>(indexer: IndexReader<O>, { namespace, labels, fields }: SelectionOptions): O[] {
  const [first, ...others] = fields === undefined ? [] : exactFields(fields);
  let objects: readonly O[] = first
    ? byField(indexer, ...first, namespace).filter((object) => !namespace || metaOf(object).namespace === namespace)
    : namespace
      ? indexer.byIndex(namespaceIndex, namespace)
      : indexer.list();
  for (const [field, value] of others) {
    const matching = new Set(byField(indexer, field, value, namespace));
    objects = objects.filter((object) => matching.has(object));
  }
  const selector = labelSelectorOf(labels);
  return objects.filter((object) => !selector || selector.matches(metaOf(object).labels ?? {}));
}

function inOrderOfKeys<O>(objects: readonly O[]): O[] {
  return objects
    .map((object) => ({ key: metaNamespaceKeyOf(object), object }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ object }) => object);
}
