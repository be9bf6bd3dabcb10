import {
  type DeepReadonly,
  gvkKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  type Stored,
} from "@kubewright/apimachinery";
import type { GetOptions, KubeList, ListOptions, Reader } from "@kubewright/client";
import { checkedValues, IndexError } from "../store/indexes.ts";
import { metaNamespaceKeyOf } from "../store/object-meta.ts";
import { exactFields, fieldIndexName } from "./field-index.ts";
import { listUpTo, refuseContinue } from "./list-up-to.ts";

type Extract<T extends KubeObject> = (object: Stored<DeepReadonly<T>>) => readonly string[];
/** Returns the function behind a cache's index on a field; `undefined` if there is no such index. */
type ExtractOf = <T extends KubeObject>(kind: Kind<T>, field: string) => Extract<T> | undefined;

/** Answers the queries of a cache from the server. Selectors on fields that the cache has indexed are applied here. */
export class LiveReader implements Reader {
  readonly #reader: Reader;
  readonly #extractOf: ExtractOf;
  readonly #onIndexError: (error: IndexError) => void;

  constructor(reader: Reader, extractOf: ExtractOf, onIndexError: (error: IndexError) => void) {
    this.#reader = reader;
    this.#extractOf = extractOf;
    this.#onIndexError = onIndexError;
  }

  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>> {
    return this.#reader.get(kind, key, options);
  }

  /** The server does not know indexed fields. They are applied to its response, and `limit` only after that. */
  async list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const wanted = options.fields === undefined ? [] : exactFields(options.fields);
    const ours = wanted.flatMap(([field, value]) => {
      const extract = this.#extractOf(kind, field);
      return extract ? [{ field, value, extract }] : [];
    });
    if (ours.length === 0) return this.#reader.list(kind, options);
    refuseContinue(options);
    const theirs = wanted.filter(([field]) => !ours.some((own) => own.field === field));
    const asked = { ...options, fields: Object.fromEntries(theirs), limit: undefined };
    const listed = await this.#reader.list(kind, asked);
    const matching = listed.filter((object) =>
      ours.every(({ field, value, extract }) => this.#valuesOf(kind, field, object, extract).includes(value)),
    );
    return listUpTo(options.limit, matching, listed.metadata);
  }

  /** Returns no values if the function fails: a cache leaves such an object out of the index as well. */
  #valuesOf<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    object: Stored<DeepReadonly<T>>,
    extract: Extract<T>,
  ): readonly string[] {
    try {
      return checkedValues(extract(object));
    } catch (cause) {
      this.#onIndexError(new IndexError(gvkKey(kind), metaNamespaceKeyOf(object), fieldIndexName(field), cause));
      return [];
    }
  }
}
