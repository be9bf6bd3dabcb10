import { isRecord, setOwnMember } from "@kubewright/apimachinery";
import type { FieldSchema, ObjectSchema, TypeSchema } from "@kubewright/codec/schema";
import { freezeTree } from "@kubewright/storage";

/**
 * Returns a copy of a value with all fields that Go always serializes: structs that are not pointers, and fields
 * without `omitempty`. Ownership is computed from this form, so that a struct that Go always serializes does not count
 * as newly set. Returns the value itself if no field is missing.
 *
 * @param emptyLists if `null`, an empty list that Go always serializes becomes null, because the stored form does not
 * distinguish an empty list from null
 */
export function withPrintedStructs(value: unknown, schema: TypeSchema, emptyLists: "kept" | "null" = "kept"): unknown {
  if (Array.isArray(value)) return schema.type === "list" ? withPrintedItems(value, schema.items, emptyLists) : value;
  if (!isRecord(value)) return value;
  if (schema.type !== "object" && (schema.type !== "map" || schema.values.type === "scalar")) return value;
  let result: Record<string, unknown> | undefined; // a copy of the value; it is made when the first field differs
  for (const name in value) {
    const member = value[name];
    if (typeof member !== "object" || member === null) continue;
    const field = schema.type === "object" ? schema.fields.get(name) : undefined;
    const inner = schema.type === "map" ? schema.values : field?.schema;
    const isEmptyList = emptyLists === "null" && field?.alwaysPrinted && Array.isArray(member) && member.length === 0;
    const printed = isEmptyList ? null : inner ? withPrintedStructs(member, inner, emptyLists) : member;
    if (printed === member) continue;
    result ??= { ...value };
    setOwnMember(result, name, printed);
  }
  if (schema.type === "object")
    for (const [name, printed] of printedMembers(schema))
      if (!Object.hasOwn(value, name)) {
        result ??= { ...value };
        setOwnMember(result, name, printed);
      }
  return result ?? value;
}

function withPrintedItems(
  list: readonly unknown[],
  schema: TypeSchema,
  emptyLists: "kept" | "null",
): readonly unknown[] {
  const printed = list.map((item) => withPrintedStructs(item, schema, emptyLists));
  return printed.some((item, index) => item !== list[index]) ? printed : list;
}

const printedByType = new WeakMap<ObjectSchema, readonly (readonly [name: string, printed: unknown])[]>();

/** Returns the members of a type that are always serialized, with their empty values. Callers must not modify these values. */
function printedMembers(schema: ObjectSchema): readonly (readonly [string, unknown])[] {
  let members = printedByType.get(schema);
  if (!members) {
    members = [...schema.fields.values()]
      .filter(({ inlinedIn }) => !inlinedIn)
      .map((field) => [field.name, freezeTree(printedWhenAbsent(field))] as const)
      .filter(([, printed]) => printed !== undefined);
    printedByType.set(schema, members);
  }
  return members;
}

/**
 * Reports whether a field is a time that is serialized as null if it is not set. Go serializes null for an unset time that is not a pointer; the
 * only exception is an unset creation time, which is omitted.
 */
const isTime = ({ name, pointer, schema }: FieldSchema): boolean =>
  !pointer &&
  schema.type === "scalar" &&
  (schema.scalar === "Time" || schema.scalar === "MicroTime") &&
  name !== "creationTimestamp";

function printedWhenAbsent(field: FieldSchema): unknown {
  if (field.schema.type === "object" && !field.pointer && field.number > 0) return withPrintedStructs({}, field.schema);
  if (isTime(field)) return null;
  if (!field.alwaysPrinted) return undefined;
  if (field.pointer || field.schema.type !== "scalar") return null;
  switch (field.schema.scalar) {
    case "bool":
      return false;
    case "string":
      return "";
    case "int32":
    case "int64":
    case "IntOrString":
      return 0;
    case "Quantity":
      return "0";
    default:
      return null;
  }
}
