import { isRecord, type StructuralSchema } from "@kubewright/apimachinery";
import type { Random } from "../time/random.ts";
import { schemaOf, type UserKind } from "./user-kind.ts";

/** A property of a kind, which users can change. */
export interface Property {
  /**
   * Names from the object's root, such as `["spec", "replicas"]`. `*` represents an item of a list or a member of a
   * map.
   */
  readonly path: readonly string[];
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
}

const maxDepth = 8;
const maxProperties = 400;

/** Returns the properties that users write: all properties except metadata and status. */
export function propertiesOf(kind: UserKind): Property[] {
  const found: Property[] = [];
  const root = schemaOf(kind);
  const visit = (schema: StructuralSchema, path: readonly string[], isRequired: boolean): void => {
    if (path.length > maxDepth || found.length >= maxProperties) return;
    if (path.length > 0) found.push({ path, schema, isRequired });
    for (const [name, inner] of Object.entries(schema.properties ?? {}))
      visit(inner, [...path, name], schema.required?.includes(name) ?? false);
    const { additionalProperties: members, items } = schema;
    if (items) visit(items, [...path, "*"], true);
    if (isRecord(members)) visit(members as StructuralSchema, [...path, "*"], false);
  };
  for (const [name, inner] of Object.entries(root?.properties ?? {}))
    if (!["apiVersion", "kind", "metadata", "status"].includes(name)) visit(inner, [name], false);
  // Objects with named properties change through these.
  return found.filter(({ schema }) => schema.properties === undefined || Object.keys(schema.properties).length === 0);
}

/**
 * Changes one property of a value, creating missing parents as necessary.
 *
 * @returns the changed copy, or undefined if the property has no other possible value
 */
export function withChange(value: unknown, { path, schema, isRequired }: Property, random: Random): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return otherValue(value, schema, random);
  const below = { path: rest, schema, isRequired };
  if (name === "*") {
    if (Array.isArray(value) && value.length > 0) {
      const at = random.below(value.length);
      const changed = withChange(value[at], below, random);
      return changed === undefined ? undefined : value.with(at, changed);
    }
    if (isRecord(value) && Object.keys(value).length > 0) {
      const key = random.one(Object.keys(value)) ?? "";
      const changed = withChange(value[key], below, random);
      return changed === undefined ? undefined : { ...value, [key]: changed };
    }
    return undefined; // the list itself is a property, to which users add items
  }
  const owner = isRecord(value) ? value : {};
  if (rest.length === 0 && !isRequired && Object.hasOwn(owner, name) && random.chance(0.3)) {
    const { [name]: _, ...others } = owner;
    return others;
  }
  const changed = withChange(owner[name], below, random);
  return changed === undefined ? undefined : { ...owner, [name]: changed };
}

const texts = ["changed", "other", "a", "b.example.com", "v2", "10", "5m", "1Gi", "192.0.2.7", "2026-02-03T04:05:06Z"];

function otherValue(value: unknown, schema: StructuralSchema, random: Random): unknown {
  const { enum: values, type, minimum, maximum, items, additionalProperties: members } = schema;
  const pick = (candidates: readonly unknown[]): unknown =>
    random.one(candidates.filter((each) => each !== undefined && JSON.stringify(each) !== JSON.stringify(value)));
  if (values) return pick(values);
  if (schema["x-kubernetes-int-or-string"]) return pick([1, 2, "50%"]);
  switch (type) {
    case "boolean":
      return value !== true;
    case "integer":
    case "number": {
      const now = typeof value === "number" ? value : 0;
      const inRange = (each: number): boolean => each >= (minimum ?? -1e9) && each <= (maximum ?? 1e9);
      return pick(
        [now + 1, now - 1, now + 2, minimum, maximum, 0, 1, 3].filter((each) => each !== undefined && inRange(each)),
      );
    }
    case "string":
      return pick(texts.slice(0, schema.maxLength === undefined || schema.maxLength > 20 ? undefined : 3));
    case "array": {
      const list = Array.isArray(value) ? value : [];
      if (list.length > 0 && random.chance(0.5)) return list.slice(0, -1);
      const item = items && freshValue(items, random);
      return item === undefined ? undefined : [...list, item];
    }
    default: {
      if (!isRecord(members)) return undefined;
      const present = isRecord(value) ? value : {};
      const key = random.one(["a", "b", "c"]) ?? "a";
      const { [key]: former, ...others } = present;
      if (former !== undefined && random.chance(0.5)) return others;
      return { ...present, [key]: otherValue(former, members as StructuralSchema, random) };
    }
  }
}

/** Returns a value with the required properties and a few optional ones. */
export function freshValue(schema: StructuralSchema, random: Random, depth = 0): unknown {
  const { default: preset, example, properties = {}, required = [], type } = schema;
  if (example !== undefined) return example;
  if (preset !== undefined && type !== "object") return preset;
  if (type !== "object") return type === "array" ? [] : otherValue(undefined, schema, random);
  const named = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (depth < 4 && random.chance(0.3)),
  );
  const made = named.map(([name, inner]) => [name, freshValue(inner, random, depth + 1)] as const);
  return Object.fromEntries(made.filter(([, value]) => value !== undefined));
}

export const pathText = ({ path }: Property): string => path.join(".").replaceAll(".*", "[]");
