import { isRecord, ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import { atomOf, ItemError, itemElement, itemSchema, memberOf } from "./atom.ts";
import type { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/**
 * Returns a value without certain fields. A map or list from which everything is removed becomes null.
 *
 * @see structured-merge-diff typed RemoveItems
 */
export function removeFields(value: unknown, removed: FieldSet, schema: TypeSchema): unknown {
  const atom = atomOf(schema, value);
  if (atom.type === "scalar") return value;
  if (atom.type === "list") {
    if (!Array.isArray(value) || value.length === 0 || atom.atomic) return null;
    const items = value.flatMap((item: unknown) => keepItem(item, removed, atom.schema));
    return items.length > 0 ? items : null;
  }
  if (!isRecord(value) || atom.atomic) return null;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const element = fieldElement(name);
    if (removed.hasMember(element)) continue;
    const below = removed.below(element);
    setOwnMember(result, name, below.isEmpty ? member : removeFields(member, below, memberOf(atom.schema, name)));
  }
  return Object.keys(result).length > 0 ? result : null;
}

function keepItem(item: unknown, removed: FieldSet, schema: TypeSchema): unknown[] {
  try {
    const element = itemElement(schema, item);
    if (removed.hasMember(element)) return [];
    const below = removed.below(element);
    return [below.isEmpty ? item : removeFields(item, below, itemSchema(schema))];
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    return [item];
  }
}

/** Removes each null that {@link removeFields} left in place of a value in `before`. */
export function dropNewNulls(value: unknown, before: unknown): unknown {
  if (!isRecord(value) || !isRecord(before)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null || ownMember(before, name) === null)
      .map(([name, member]) => [name, dropNewNulls(member, ownMember(before, name))]),
  );
}
