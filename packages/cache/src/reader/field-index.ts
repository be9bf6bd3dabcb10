import type { FieldSelector, GroupVersionKind } from "@kubewright/apimachinery";
import { fieldSelectorFrom, gvkKey, parseFieldSelector } from "@kubewright/apimachinery";
import type { FieldSelectorInput } from "@kubewright/client";
import type { IndexReader } from "../store/index-reader.ts";
import { metaOf } from "../store/object-meta.ts";
import type { IndexFunc } from "../store/value-index.ts";
import { checkedValues } from "../store/value-index.ts";

const allNamespaces = "*"; // no namespace has this name

/** The name of the index that answers selectors on a field. */
export const fieldIndexName = (field: string): string => `field:${field}`;

/** An index function that finds a field's values in one namespace and in all. */
export function fieldIndex<O>(extract: (object: O) => readonly string[]): IndexFunc<O> {
  return (object) => {
    const { namespace } = metaOf(object);
    const values = checkedValues(extract(object));
    const inAll = values.map((value) => `${allNamespaces}/${value}`);
    return namespace ? [...inAll, ...values.map((value) => `${namespace}/${value}`)] : inAll;
  };
}

/** The requirements of a field selector as field and value. @throws {Error} for `!=`, which no index answers */
export function exactFields(input: FieldSelectorInput): readonly (readonly [field: string, value: string])[] {
  return fieldSelectorOf(input).requirements.map(({ field, operator, value }) => {
    if (operator !== "=")
      throw new Error(`the cache answers exact field selectors only, not ${field}${operator}${value}`);
    return [field, value];
  });
}

/** What every kind can be asked for by: these need no index. */
const everyKindsFields: readonly string[] = ["metadata.name", "metadata.namespace"];

/** @throws {Error} if a field that is selected by has no index, with the code that adds one */
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
        `same option; elsewhere with cache.indexField(${kind.kind}, ${JSON.stringify(field)}, (o) => [...])`,
    );
  }
}

/** Objects that have a value in a field, by its index. @throws {Error} if the field has no index */
export function byField<O>(
  indexer: IndexReader<O>,
  field: string,
  value: string,
  namespace: string | undefined,
): readonly O[] {
  if (field === "metadata.name") return indexer.list().filter((object) => metaOf(object).name === value);
  if (field === "metadata.namespace")
    return indexer.list().filter((object) => (metaOf(object).namespace ?? "") === value);
  return indexer.byIndex(fieldIndexName(field), `${namespace ?? allNamespaces}/${value}`);
}

/** Whether an object has the values that a selector asks for, found by the names of the fields: `spec.nodeName`. No index is needed. */
export function matchesFields(object: unknown, input: FieldSelectorInput | undefined): boolean {
  return input === undefined || fieldSelectorOf(input).matches((field) => valueAt(object, field));
}

function valueAt(object: unknown, field: string): string | undefined {
  let value = object;
  for (const name of field.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value === undefined || value === null ? undefined : String(value);
}

function fieldSelectorOf(input: FieldSelectorInput): FieldSelector {
  if (typeof input === "string") return parseFieldSelector(input);
  return isSelector(input) ? input : fieldSelectorFrom(input);
}

const isSelector = (input: Exclude<FieldSelectorInput, string>): input is FieldSelector =>
  "matches" in input && typeof input.matches === "function";
