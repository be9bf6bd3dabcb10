import { isRecord, ownMember, setOwnMember } from "@kubewright/apimachinery";
import { memberSchema, type TypeSchema, untyped } from "@kubewright/codec/schema";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** Describes how server-side apply treats a value. */
export type Atom =
  | { readonly type: "scalar" }
  | { readonly type: "map"; readonly atomic: boolean; readonly schema: TypeSchema }
  | { readonly type: "list"; readonly atomic: boolean; readonly schema: TypeSchema };

/**
 * Determines from the schema how server-side apply treats a value. If the schema permits any JSON, this depends on the
 * type of the value. A value of the wrong type is treated like one of the type in the schema.
 *
 * @see structured-merge-diff typed deduceAtom
 */
export function atomOf(schema: TypeSchema, value: unknown): Atom {
  switch (schema.type) {
    case "object":
    case "map":
      return { type: "map", atomic: schema.atomic ?? false, schema };
    case "list":
      return { type: "list", atomic: schema.topology === "atomic", schema };
    case "scalar":
      return { type: "scalar" };
    default: {
      const atomic = schema.type === "any" && schema.atomic;
      if (Array.isArray(value)) return { type: "list", atomic: true, schema };
      return isRecord(value) || value === null || value === undefined
        ? { type: "map", atomic, schema: schema.type === "either" ? schema.object : schema }
        : { type: "scalar" };
    }
  }
}

/** Returns the schema of a list's items. */
export const itemSchema = (schema: TypeSchema): TypeSchema => (schema.type === "list" ? schema.items : untyped);

/** Returns the schema of a field. For a field that is not declared, it permits any JSON. */
export const memberOf = (schema: TypeSchema, name: string): TypeSchema => memberSchema(schema, name) ?? untyped;

/** Thrown if a list item cannot be identified, with upstream's message. */
export class ItemError extends Error {
  override readonly name = "ItemError";
}

/**
 * Returns the path element that identifies an item in a keyed list or a set.
 *
 * @throws {ItemError} if the item cannot be identified
 */
export function itemElement(schema: TypeSchema, item: unknown): PathElement {
  if (schema.type !== "list" || schema.topology === "atomic")
    throw new ItemError("invalid indexing of non-associative list");
  if (schema.topology === "set") {
    if (isRecord(item)) throw new ItemError("associative list without keys has an element that's a map type");
    if (Array.isArray(item)) throw new ItemError("not supported: associative list with lists as elements");
    if (item === null || item === undefined)
      throw new ItemError("associative list without keys has an element that's an explicit null");
    return valueElement(item);
  }
  if (item === null || item === undefined)
    throw new ItemError("associative list with keys may not have a null element");
  if (!isRecord(item)) throw new ItemError("associative list with keys may not have non-map elements");
  const keys: Record<string, unknown> = {};
  for (const name of schema.keys) {
    const value = ownMember(item, name) ?? keyDefault(schema.items, name);
    if (value !== undefined) setOwnMember(keys, name, value);
  }
  if (Object.keys(keys).length === 0) {
    const names = schema.keys.map((name) => `"${name}"`).join(" ");
    throw new ItemError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

/** Returns the value that a key field has if it is missing: its default, or the zero value if Go always serializes the field. */
function keyDefault(schema: TypeSchema, name: string): unknown {
  const field = schema.type === "object" ? schema.fields.get(name) : undefined;
  if (!field || field.default !== undefined) return field?.default;
  if (!field.alwaysPrinted || field.pointer || field.schema.type !== "scalar") return undefined;
  if (field.schema.scalar === "string") return "";
  return field.schema.scalar === "bool" ? false : /^int/.test(field.schema.scalar) ? 0 : undefined;
}
