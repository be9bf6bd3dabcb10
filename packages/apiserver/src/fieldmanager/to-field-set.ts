import { isRecord } from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import { atomOf, ItemError, itemElement, itemSchema, memberOf } from "./atom.ts";
import { type FieldPath, FieldSet } from "./field-set.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/**
 * Returns the set of fields that a value sets: its leaves, keyed items and undeclared members.
 *
 * @see structured-merge-diff typed ToFieldSet
 */
export function toFieldSet(value: unknown, schema: TypeSchema): FieldSet {
  const set = new FieldSet();
  collect(value, schema, [], set);
  return set;
}

function collect(value: unknown, schema: TypeSchema, path: FieldPath, set: FieldSet): void {
  const atom = atomOf(schema, value);
  if (atom.type === "scalar" || atom.atomic) {
    set.insert(path);
    return;
  }
  if (atom.type === "list") collectItems(value, atom.schema, path, set);
  else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, fieldElement(name)];
      collect(member, memberOf(atom.schema, name), at, set);
      const isDeclared = atom.schema.type === "object" && atom.schema.fields.has(name);
      const isEmptyMap = isRecord(member) && Object.keys(member).length === 0;
      if (member === null || isEmptyMap || !isDeclared) set.insert(at);
    }
  }
}

function collectItems(value: unknown, schema: TypeSchema, path: FieldPath, set: FieldSet): void {
  const items = Array.isArray(value) ? value : [];
  const counts = new Map<PathElement, number>();
  const elements = items.map((item) => {
    const element = elementOf(schema, item);
    if (element !== undefined) counts.set(element, (counts.get(element) ?? 0) + 1);
    return element;
  });
  for (const [i, item] of items.entries()) {
    const element = elements[i];
    if (element === undefined) continue;
    const at = [...path, element];
    if (counts.get(element) === 1) collect(item, itemSchema(schema), at, set);
    set.insert(at);
  }
}

function elementOf(schema: TypeSchema, item: unknown): PathElement | undefined {
  try {
    return itemElement(schema, item);
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    return undefined;
  }
}
