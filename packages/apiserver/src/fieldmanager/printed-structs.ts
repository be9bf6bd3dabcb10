import { isRecord } from "@kubewright/apimachinery";
import type { FieldSchema, ObjectSchema, TypeSchema } from "../schema/type-schema.ts";
import { deepFreeze } from "../storage/deep-freeze.ts";

/**
 * A value with the members that Go always has: structs that are no pointers, and members printed even when empty. Ownership is computed
 * on this form, so that a struct that is always there is not owned for having come into being.
 */
export function withPrintedStructs(value: unknown, schema: TypeSchema): unknown {
  if (Array.isArray(value))
    return schema.type === "list" ? value.map((item) => withPrintedStructs(item, schema.items)) : value;
  if (!isRecord(value)) return value;
  if (schema.type === "map") {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withPrintedStructs(member, schema.values)]),
    );
  }
  if (schema.type !== "object") return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const field = schema.fields.get(name);
    result[name] = field ? withPrintedStructs(member, field.schema) : member;
  }
  for (const [name, printed] of printedMembers(schema)) if (!Object.hasOwn(result, name)) result[name] = printed;
  return result;
}

const printedByType = new WeakMap<ObjectSchema, readonly (readonly [name: string, printed: unknown])[]>();

/** Members of a type that are printed though nobody gave them, with what is printed then. Nobody changes those values. */
function printedMembers(schema: ObjectSchema): readonly (readonly [string, unknown])[] {
  let members = printedByType.get(schema);
  if (!members) {
    members = [...schema.fields.values()]
      .filter(({ inlinedIn }) => !inlinedIn)
      .map((field) => [field.name, deepFreeze(printedWhenAbsent(field))] as const)
      .filter(([, printed]) => printed !== undefined);
    printedByType.set(schema, members);
  }
  return members;
}

/** A time that is no pointer is a struct too, and prints null; only that of creation is left out. */
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
