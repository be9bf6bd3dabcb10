import {
  type DeepReadonly,
  type GroupVersionKind,
  joinKey,
  type KubeObject,
  labelSelectorFromLabels,
  notFound,
  ParsedLabelSelector,
  parseLabelSelector,
  type Stored,
} from "@kubewright/apimachinery";
import type { LabelSelectorInput } from "@kubewright/client";
import type { IndexReader } from "./indexer.ts";
import { namespaceIndex } from "./indexes.ts";
import { metaOf } from "./object-meta.ts";

/** Options that select objects in a {@link Lister}. */
export interface ListerOptions {
  /** Selects objects by labels. Default: all objects. */
  readonly labels?: LabelSelectorInput | undefined;
}

/**
 * Reads objects from an informer's store without waiting. The objects reflect the last watch event received.
 *
 * @see client-go tools/cache GenericLister
 */
export class Lister<T extends KubeObject> {
  readonly #indexer: IndexReader<Stored<DeepReadonly<T>>>;
  readonly #kind: GroupVersionKind | undefined;

  constructor(indexer: IndexReader<Stored<DeepReadonly<T>>>, kind?: GroupVersionKind) {
    this.#indexer = indexer;
    this.#kind = kind;
  }

  /** Returns the selected objects, in no particular order. */
  list(options: ListerOptions = {}): Stored<DeepReadonly<T>>[] {
    return selected(this.#indexer.list(), options);
  }

  /** Returns the object with a key (`namespace/name` or `name`). @throws {StatusError} `NotFound` */
  get(key: string): Stored<DeepReadonly<T>> {
    const object = this.#indexer.get(key);
    if (object !== undefined) return object;
    const { group, kind } = this.#kind ?? { group: "", kind: "object" };
    throw notFound({ group, resource: kind.toLowerCase() }, key.slice(key.indexOf("/") + 1));
  }

  /** Returns a lister for one namespace. It uses names instead of keys. */
  namespace(namespace: string): NamespaceLister<T> {
    return {
      list: (options = {}) => selected(this.#indexer.byIndex(namespaceIndex, namespace), options),
      get: (name) => this.get(joinKey(namespace, name)),
    };
  }
}

/** Reads the objects of one namespace by name. Created by {@link Lister.namespace}. @see client-go tools/cache GenericNamespaceLister */
export interface NamespaceLister<T extends KubeObject> {
  list(options?: ListerOptions): Stored<DeepReadonly<T>>[];
  /** Returns the object with the given name. @throws {StatusError} `NotFound` */
  get(name: string): Stored<DeepReadonly<T>>;
}

/** Converts the input to a selector; `undefined` stays `undefined` and selects everything. */
export function labelSelectorOf(input: LabelSelectorInput | undefined): ParsedLabelSelector | undefined {
  if (input === undefined) return undefined;
  if (input instanceof ParsedLabelSelector) return input;
  return typeof input === "string" ? parseLabelSelector(input) : labelSelectorFromLabels(input);
}

function selected<O>(objects: O[], { labels }: ListerOptions): O[] {
  const selector = labelSelectorOf(labels);
  return selector ? objects.filter((object) => selector.matches(metaOf(object).labels ?? {})) : objects;
}
