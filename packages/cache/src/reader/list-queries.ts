import {
  type DeepReadonly,
  type FieldSelector,
  fieldSelectorFrom,
  type GroupVersionKind,
  gvkKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  type ListMeta,
  parseFieldSelector,
  type Stored,
} from "@kubewright/apimachinery";
import {
  type FieldSelectorInput,
  type GetOptions,
  type KubeList,
  kubeList,
  type ListOptions,
  type Reader,
} from "@kubewright/client";
import type { IndexReader } from "../store/indexer.ts";
import { checkedValues, IndexError, type IndexFunc, namespaceIndex } from "../store/indexes.ts";
import { metaNamespaceKeyOf, metaOf } from "../store/object-meta.ts";

/** Placeholder for all namespaces. It is not a valid namespace name. */
const allNamespaces = "*";

/** Returns the name of the index for selectors on a field. */
export const fieldIndexName = (field: string): string => `field:${field}`;

/**
 * Returns an index function that indexes an object twice under each value of a field: once for its namespace, and once
 * for all namespaces.
 */
export function fieldIndex<O>(extract: (object: O) => readonly string[]): IndexFunc<O> {
  return (object) => {
    const { namespace } = metaOf(object);
    const values = checkedValues(extract(object));
    const inAll = values.map((value) => `${allNamespaces}/${value}`);
    return namespace ? [...inAll, ...values.map((value) => `${namespace}/${value}`)] : inAll;
  };
}

/** Returns the fields and values that a selector requires. @throws {Error} for `!=`, which indexes do not support */
export function exactFields(input: FieldSelectorInput): readonly (readonly [field: string, value: string])[] {
  return fieldSelectorOf(input).requirements.map(({ field, operator, value }) => {
    if (operator !== "=")
      throw new Error(`the cache supports only exact field selectors, not ${field}${operator}${value}`);
    return [field, value];
  });
}

/** Fields that can be selected without an index. */
const everyKindsFields: readonly string[] = ["metadata.name", "metadata.namespace"];

/**
 * Checks that a selector's fields are indexed. @throws {Error} if an index is missing; the message contains the code that adds the index
 */
export function requireIndexes(
  kind: GroupVersionKind,
  input: FieldSelectorInput | undefined,
  isIndexed: (field: string) => boolean,
): void {
  for (const [field] of input === undefined ? [] : exactFields(input)) {
    if (everyKindsFields.includes(field) || isIndexed(field)) continue;
    const indexes = `${kind.kind}, { indexes: { ${JSON.stringify(field)}: (o) => [...] } }`;
    throw new Error(
      `Index with name ${fieldIndexName(field)} does not exist: the cache does not index ${gvkKey(kind)} by ${field}. ` +
        `Add it where the controller is built: .for(${indexes}), or .owns(${kind.kind}, ...) or .watches(${kind.kind}, ...) with the ` +
        `same option; elsewhere with manager.cache.indexField(${kind.kind}, ${JSON.stringify(field)}, (o) => [...])`,
    );
  }
}

type FieldValue = ReturnType<typeof exactFields>[number];

/**
 * Yields the objects whose fields have the given values, from one or all namespaces. Objects are looked up lazily,
 * because the caller may stop early.
 *
 * @throws {Error} if a field has no index
 */
export function* havingFields<O>(
  indexer: IndexReader<O>,
  wanted: readonly FieldValue[],
  namespace: string | undefined,
): Iterable<O> {
  const indexed = wanted.find(([field]) => !everyKindsFields.includes(field));
  const others = wanted.filter((one) => one !== indexed);
  for (const object of candidates(indexer, indexed, namespace))
    if (others.every((one) => hasField(indexer, object, one, namespace))) yield object;
}

function candidates<O>(
  indexer: IndexReader<O>,
  indexed: FieldValue | undefined,
  namespace: string | undefined,
): Iterable<O> {
  if (indexed) return indexer.valuesByIndex(fieldIndexName(indexed[0]), filedUnder(indexed[1], namespace));
  return namespace ? indexer.valuesByIndex(namespaceIndex, namespace) : indexer.values();
}

function hasField<O>(
  indexer: IndexReader<O>,
  object: O,
  [field, value]: FieldValue,
  namespace: string | undefined,
): boolean {
  if (field === "metadata.name") return metaOf(object).name === value;
  if (field === "metadata.namespace") return (metaOf(object).namespace ?? "") === value;
  return indexer.isFiled(fieldIndexName(field), filedUnder(value, namespace), metaNamespaceKeyOf(object));
}

const filedUnder = (value: string, namespace: string | undefined): string => `${namespace || allNamespaces}/${value}`;

/**
 * Reports whether a selector matches an object. The selector's fields are paths in the object, such as `spec.nodeName`.
 * No index is required.
 */
export function matchesFields(object: unknown, input: FieldSelectorInput | undefined): boolean {
  return input === undefined || fieldSelectorOf(input).matches((field) => valueAt(object, field));
}

function valueAt(object: unknown, field: string): string | undefined {
  let value = object;
  for (const name of field.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value === undefined || value === null ? undefined : String(value);
}

/** Converts the input to a selector. @throws {Error} if the input is text that cannot be parsed */
export function fieldSelectorOf(input: FieldSelectorInput): FieldSelector {
  if (typeof input === "string") return parseFieldSelector(input);
  return isSelector(input) ? input : fieldSelectorFrom(input);
}

const isSelector = (input: Exclude<FieldSelectorInput, string>): input is FieldSelector =>
  "matches" in input && typeof input.matches === "function";

/**
 * Marker in place of the `continue` token of a list that `limit` truncated. Cached lists have no pages, so there is no token. @see
 * controller-runtime pkg/cache/internal CacheReader.List
 */
const continueNotSupported = "continue-not-supported";

/**
 * Rejects `continue` tokens, because cached lists have no pages.
 *
 * @throws {Error} if there is a `continue` token
 */
export function refuseContinue({ continue: token }: ListOptions): void {
  if (!token) return;
  const shown = JSON.stringify(token.length > 50 ? `${token.slice(0, 50)}…` : token);
  throw new Error(
    `continue: ${shown}: continue list option is not supported by the cache, whose lists have no pages; ` +
      "omit limit and continue, or page through the list with a client that reads from the server",
  );
}

/**
 * Returns a list of up to `limit` objects, or of all objects if the limit is not positive. In a truncated list, the
 * `continue` token is an invalid marker, so that a program that follows the token fails instead of missing objects.
 */
export function listUpTo<O>(limit: number | undefined, objects: Iterable<O>, metadata: ListMeta): KubeList<O> {
  const most = limit !== undefined && limit > 0 ? limit : Number.POSITIVE_INFINITY;
  const page: O[] = [];
  for (const object of objects) {
    if (page.length >= most) return kubeList(page, { ...metadata, continue: continueNotSupported });
    page.push(object);
  }
  return kubeList(page, metadata);
}

type Extract<T extends KubeObject> = (object: Stored<DeepReadonly<T>>) => readonly string[];
/** Returns the function behind a cache's index on a field, or `undefined` if the field has no index. */
type ExtractOf = <T extends KubeObject>(kind: Kind<T>, field: string) => Extract<T> | undefined;

/**
 * Answers a cache's queries by reading from the server. Selectors on fields that the cache indexes are evaluated in the
 * client.
 */
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

  /**
   * Lists objects from the server, which does not support indexed fields. Selectors on such fields, and then `limit`, are applied to the
   * server's response.
   */
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

  /**
   * Returns a field's values in an object, or no values if the index function throws. A cache also omits such an object
   * from the index.
   */
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
