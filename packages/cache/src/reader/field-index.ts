import {
  type FieldSelector,
  fieldSelectorFrom,
  type GroupVersionKind,
  gvkKey,
  parseFieldSelector,
} from "@kubewright/apimachinery";
import type { FieldSelectorInput } from "@kubewright/client";
import { type IndexReader, namespaceIndex } from "../store/indexer.ts";
import { checkedValues, type IndexFunc } from "../store/indexes.ts";
import { metaNamespaceKeyOf, metaOf } from "../store/object-meta.ts";

/** Placeholder for a namespace; not a valid namespace name. */
const allNamespaces = "*";

/** Returns the name of the index for selectors on a field. */
export const fieldIndexName = (field: string): string => `field:${field}`;

/** Returns an index function that files an object twice under each value of a field: for its namespace and for all namespaces. */
export function fieldIndex<O>(extract: (object: O) => readonly string[]): IndexFunc<O> {
  return (object) => {
    const { namespace } = metaOf(object);
    const values = checkedValues(extract(object));
    const inAll = values.map((value) => `${allNamespaces}/${value}`);
    return namespace ? [...inAll, ...values.map((value) => `${namespace}/${value}`)] : inAll;
  };
}

/** Returns the fields and values that a selector requires. @throws {Error} for `!=`, which no index supports */
export function exactFields(input: FieldSelectorInput): readonly (readonly [field: string, value: string])[] {
  return fieldSelectorOf(input).requirements.map(({ field, operator, value }) => {
    if (operator !== "=")
      throw new Error(`the cache answers exact field selectors only, not ${field}${operator}${value}`);
    return [field, value];
  });
}

/** Fields that can be selected without an index. */
const everyKindsFields: readonly string[] = ["metadata.name", "metadata.namespace"];

/** @throws {Error} if a selector needs a missing index. The message contains the code that adds it. */
export function requireIndexes(
  kind: GroupVersionKind,
  input: FieldSelectorInput | undefined,
  isIndexed: (field: string) => boolean,
): void {
  for (const [field] of input === undefined ? [] : exactFields(input)) {
    if (everyKindsFields.includes(field) || isIndexed(field)) continue;
    const indexes = `${kind.kind}, { indexes: { ${JSON.stringify(field)}: (o) => [...] } }`;
    throw new Error(
      `Index with name ${fieldIndexName(field)} does not exist: the cache has no index of ${gvkKey(kind)} by ${field}. ` +
        `Add it where the controller is built: .for(${indexes}), or .owns(${kind.kind}, ...) or .watches(${kind.kind}, ...) with the ` +
        `same option; elsewhere with manager.cache.indexField(${kind.kind}, ${JSON.stringify(field)}, (o) => [...])`,
    );
  }
}

type FieldValue = ReturnType<typeof exactFields>[number];

/**
 * Yields the objects that have these values in their fields, from one namespace or from all. They are found one by one, for a search that
 * may end early.
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

/** Reports whether a selector matches an object, by the paths that its fields name (`spec.nodeName`). Needs no index. */
export function matchesFields(object: unknown, input: FieldSelectorInput | undefined): boolean {
  return input === undefined || fieldSelectorOf(input).matches((field) => valueAt(object, field));
}

function valueAt(object: unknown, field: string): string | undefined {
  let value = object;
  for (const name of field.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value === undefined || value === null ? undefined : String(value);
}

/** Converts the input to a selector. @throws {Error} if it is text that cannot be parsed */
export function fieldSelectorOf(input: FieldSelectorInput): FieldSelector {
  if (typeof input === "string") return parseFieldSelector(input);
  return isSelector(input) ? input : fieldSelectorFrom(input);
}

const isSelector = (input: Exclude<FieldSelectorInput, string>): input is FieldSelector =>
  "matches" in input && typeof input.matches === "function";
