import { isRecord, quote } from "@kubewright/apimachinery";
import type { FieldSchema, ObjectSchema, TypeSchema } from "../schema/type-schema.ts";
import { goTypeName, jsonTypeName } from "./go-names.ts";
import { decodeScalar, ScalarError } from "./scalar-decoder.ts";

/** A value does not fit its type. The message is upstream's: `json: cannot unmarshal number into Go struct field …`. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

export interface Decoded {
  /** A copy with what the type knows, printed as Go would print it: nulls and empty optional members are gone. */
  readonly value: Record<string, unknown>;
  /** Problems that only strict decoding minds: `unknown field "spec.x"`. */
  readonly problems: readonly string[];
}

/**
 * Reads a JSON value as an object of a built-in type.
 *
 * @param repeated paths of members that occurred twice; they are reported where they stand
 * @throws {TypeMismatch}
 */
export function decodeBuiltin(
  value: Readonly<Record<string, unknown>>,
  schema: ObjectSchema,
  repeated: readonly string[] = [],
): Decoded {
  const decoder = new BuiltinDecoder(repeated);
  return { value: decoder.object(value, schema, { go: [], path: "" }), problems: decoder.problems };
}

interface Where {
  /** Names of fields, as Go's messages have them: without positions. */
  readonly go: readonly string[];
  /** Such as `spec.containers[0]`. */
  readonly path: string;
  /** Innermost struct. */
  readonly struct?: string;
}

class BuiltinDecoder {
  readonly problems: string[] = [];
  readonly #repeated: ReadonlySet<string>;

  constructor(repeated: readonly string[]) {
    this.#repeated = new Set(repeated);
  }

  object(value: unknown, schema: ObjectSchema, where: Where): Record<string, unknown> {
    if (!isRecord(value)) throw mismatch(value, schema, where);
    const result: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const path = where.path === "" ? name : `${where.path}.${name}`;
      const field = schema.fields.get(name);
      if (!field) {
        this.problems.push(`unknown field ${quote(path)}`);
        continue;
      }
      if (this.#repeated.has(path)) this.problems.push(`duplicate field ${quote(path)}`);
      const go = [...where.go, ...(field.inlinedIn?.name ? [field.inlinedIn.name] : []), name];
      const decoded = this.value(member, field.schema, { go, path, struct: schema.name ?? "" });
      if (decoded !== undefined && !isOmitted(decoded, field)) result[name] = decoded;
    }
    return result;
  }

  /** `undefined` for null where that means absent. */
  value(value: unknown, schema: TypeSchema, where: Where): unknown {
    if (schema.type === "any") return value;
    if (value === null) return undefined;
    switch (schema.type) {
      case "scalar":
        try {
          return decodeScalar(value, schema.scalar);
        } catch (error) {
          if (!(error instanceof ScalarError)) throw error;
          throw error.detail === undefined ? mismatch(value, schema, where) : new TypeMismatch(error.detail);
        }
      case "object":
        return this.object(value, schema, where);
      case "map": {
        if (!isRecord(value)) throw mismatch(value, schema, where);
        const result: Record<string, unknown> = {};
        for (const [name, member] of Object.entries(value)) {
          const path = `${where.path}.${name}`;
          if (this.#repeated.has(path)) this.problems.push(`duplicate field ${quote(path)}`);
          result[name] = this.#element(member, schema.values, { ...where, path });
        }
        return result;
      }
      case "list":
        if (!Array.isArray(value)) throw mismatch(value, schema, where);
        return value.map((item, i) => this.#element(item, schema.items, { ...where, path: `${where.path}[${i}]` }));
      case "either":
        return isRecord(value) ? this.value(value, schema.object, where) : this.value(value, schema.other, where);
    }
  }

  #element(value: unknown, schema: TypeSchema, where: Where): unknown {
    return value === null ? zeroOf(schema) : this.value(value, schema, where);
  }
}

/** What Go has in a list or map where JSON says null. */
function zeroOf(schema: TypeSchema): unknown {
  if (schema.type === "object") return {};
  if (schema.type !== "scalar") return null;
  switch (schema.scalar) {
    case "bool":
      return false;
    case "Time":
    case "MicroTime":
      return null;
    case "Quantity":
      return "0";
    case "string":
    case "bytes":
    case "Duration":
      return "";
    default:
      return 0;
  }
}

/** Go leaves out empty members that are no pointers and marked `omitempty`; empty structs are printed. */
function isOmitted(value: unknown, field: FieldSchema): boolean {
  if (field.alwaysPrinted || field.pointer) return false;
  if (field.schema.type === "list") return Array.isArray(value) && value.length === 0;
  if (field.schema.type === "map") return isRecord(value) && Object.keys(value).length === 0;
  if (field.schema.type !== "scalar" || field.schema.scalar === "IntOrString") return false;
  return value === "" || value === 0 || value === false;
}

function mismatch(value: unknown, schema: TypeSchema, where: Where): TypeMismatch {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const wantsNumber = schema.type === "scalar" && /^(int|uint|double|IntOr)/.test(schema.scalar);
  const what = isNumber && wantsNumber ? `number ${value}` : jsonTypeName(value);
  const target =
    where.go.length === 0
      ? `Go value of type ${goTypeName(schema)}`
      : `Go struct field ${where.struct}.${where.go.join(".")} of type ${goTypeName(schema)}`;
  return new TypeMismatch(`json: cannot unmarshal ${what} into ${target}`);
}
