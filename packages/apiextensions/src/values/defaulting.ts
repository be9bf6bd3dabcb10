import { isRecord, ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { JsonSchema } from "../definition/definition.ts";

/** Maximum number of values that defaults may add to an object: ten times as many as a request may contain. */
const maxAdded = 1_000_000;
/** Number of characters that count as one value. */
const charactersPerValue = 10;

/** Thrown if defaults would make an object too large, for example because many items have a large default. */
export class TooManyDefaults extends Error {
  override readonly name = "TooManyDefaults";

  constructor() {
    super("the defaults in its schema would add too many values");
  }
}

/** Copies default values, until the copies exceed a maximum total size. */
class Defaults {
  #left = maxAdded;

  /** Returns a copy of a default. @throws {TooManyDefaults} if the copies exceed the maximum */
  copy(value: unknown): unknown {
    this.#left -= sizeOf(value);
    if (this.#left < 0) throw new TooManyDefaults();
    return structuredClone(value);
  }
}

const sizes = new WeakMap<object, number>();

function sizeOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / charactersPerValue;
  if (typeof value !== "object" || value === null) return 1;
  let size = sizes.get(value);
  if (size === undefined) {
    size = Object.entries(value).reduce((sum, [name, member]) => sum + sizeOf(name) + sizeOf(member), 1);
    sizes.set(value, size);
  }
  return size;
}

/**
 * Fills in a schema's defaults from the top down, because fields within a default may have defaults of their own. Does
 * not fill in a default whose parent is missing. Changes `value` in place.
 *
 * @throws {TooManyDefaults} if the defaults would make the object too large
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting Default
 */
export function applySchemaDefaults(value: unknown, schema: JsonSchema): void {
  fillIn(value, schema, new Defaults());
}

function fillIn(value: unknown, schema: JsonSchema, defaults: Defaults): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [i, item] of value.entries()) {
      if (item === null && !items.nullable && items.default !== undefined) value[i] = defaults.copy(items.default);
      fillIn(value[i], items, defaults);
    }
    return;
  }
  if (!isRecord(value)) return;
  const properties = schema.properties ?? {};
  for (const [name, property] of Object.entries(properties)) {
    const isMissing = !Object.hasOwn(value, name) || (value[name] === null && !property.nullable);
    if (property.default !== undefined && isMissing) setOwnMember(value, name, defaults.copy(property.default));
  }
  const extra = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  for (const [name, member] of Object.entries(value)) {
    const inner = ownMember(properties, name) ?? extra;
    if (!inner) continue;
    if (!ownMember(properties, name) && member === null && !inner.nullable && inner.default !== undefined)
      setOwnMember(value, name, defaults.copy(inner.default));
    fillIn(value[name], inner, defaults);
  }
}
