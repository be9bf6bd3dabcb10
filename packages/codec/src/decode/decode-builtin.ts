import { isRecord, quote, setOwnMember } from "@kubewright/apimachinery";
import { markEmptied, rememberEmpty } from "../body/emptied.ts";
import { type Member, namedStringOf } from "../body/go-named-types.ts";
import { conversionProblem, goTypeName, jsonTypeName } from "../body/go-names.ts";
import { type FieldSchema, type ObjectSchema, scalar, type TypeSchema } from "../schema/type-schema.ts";
import { convertScalar, decodeScalar, ScalarError } from "./scalar-decoder.ts";

/** A value does not fit its type. The message is upstream's: `json: cannot unmarshal number into Go struct field …`. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
  /** What is said instead where upstream converts a map rather than text. */
  readonly conversion: string | undefined;

  constructor(message: string, conversion?: string) {
    super(message);
    this.conversion = conversion;
  }
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
  convertsMaps = false,
): Decoded {
  const decoder = new BuiltinDecoder(repeated, convertsMaps);
  const object = decoder.object(value, schema, root);
  if (decoder.hasEmptied) markEmptied(object);
  return { value: object, problems: decoder.problems };
}

/** As many are told of an object. @see sigs.k8s.io/json saveStrictError */
const mostProblems = 100;

/** Where a value stands. Texts are made of it only where there is something to say. */
interface Where {
  readonly parent: Where | undefined;
  /** A member of a struct, a key of a map, or a position in a list. */
  readonly step: { readonly field: FieldSchema; readonly struct: ObjectSchema } | string | number | undefined;
}

const root: Where = { parent: undefined, step: undefined };

/** Such as `spec.containers[0]`. */
function pathOf({ parent, step }: Where): string {
  if (!parent || step === undefined) return "";
  const before = pathOf(parent);
  if (typeof step === "number") return `${before}[${step}]`;
  const name = typeof step === "string" ? step : step.field.name;
  return before === "" ? name : `${before}.${name}`;
}

/** Names of fields, as Go's messages have them: without positions and keys. */
function goPathOf({ parent, step }: Where): string[] {
  if (!parent) return [];
  if (typeof step !== "object") return goPathOf(parent);
  const { name, inlinedIn } = step.field;
  const outer = inlinedIn?.name ? [inlinedIn.name] : [];
  const inner = inlinedIn?.fields.get(name)?.inlinedIn?.name;
  return [...goPathOf(parent), ...outer, ...(inner ? [inner] : []), name];
}

/** The innermost struct. */
function structOf({ parent, step }: Where): string | undefined {
  return typeof step === "object" ? step.struct.name : parent && structOf(parent);
}

/** The innermost member of a struct, of the struct that declares it. */
function memberOf({ parent, step }: Where): Member | undefined {
  if (typeof step !== "object") return parent && memberOf(parent);
  const { name, inlinedIn } = step.field;
  const declaring = inlinedIn?.fields.get(name)?.inlinedIn ?? inlinedIn ?? step.struct;
  return { struct: declaring.name ?? "", apiVersion: declaring.apiVersion ?? "", name };
}

class BuiltinDecoder {
  readonly problems: string[] = [];
  /** Whether something was sent empty and left out. */
  hasEmptied = false;
  readonly #repeated: ReadonlySet<string> | undefined;
  readonly #convertsMaps: boolean;

  constructor(repeated: readonly string[], convertsMaps: boolean) {
    this.#convertsMaps = convertsMaps;
    this.#repeated = repeated.length === 0 ? undefined : new Set(repeated);
  }

  object(value: unknown, schema: ObjectSchema, where: Where): Record<string, unknown> {
    if (!isRecord(value)) throw mismatch(value, schema, where);
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const field = schema.fields.get(name);
      if (!field) {
        if (this.problems.length >= mostProblems) continue;
        const path = pathOf({ parent: where, step: name });
        this.problems.push(`unknown field ${this.#convertsMaps ? `"${path}"` : quote(path)}`);
        continue;
      }
      const at: Where = { parent: where, step: { field, struct: schema } };
      if (this.#repeated) this.#noteRepeated(at);
      const decoded = this.value(value[name], field.schema, at);
      if (decoded === undefined) continue;
      if (!isOmitted(decoded, field)) result[name] = decoded;
      else if (typeof decoded === "object") {
        rememberEmpty(result, name, decoded);
        this.hasEmptied = true;
      }
    }
    return result;
  }

  /** `undefined` for null where that means absent. */
  value(value: unknown, schema: TypeSchema, where: Where): unknown {
    if (schema.type === "any") return value;
    if (value === null) return undefined;
    switch (schema.type) {
      case "scalar":
        if (schema.scalar === "string" && typeof value === "string") return value;
        if (schema.scalar === "bytes" && Array.isArray(value)) return this.#bytes(value, where);
        try {
          return this.#convertsMaps ? convertScalar(value, schema.scalar) : decodeScalar(value, schema.scalar);
        } catch (error) {
          if (!(error instanceof ScalarError)) throw error;
          if (error.detail === undefined) throw mismatch(value, schema, where);
          throw new TypeMismatch(
            error.detail,
            schema.scalar === "bytes" ? `error decoding from json: ${error.detail}` : undefined,
          );
        }
      case "object":
        return this.object(value, schema, where);
      case "map": {
        if (!isRecord(value)) throw mismatch(value, schema, where);
        const result: Record<string, unknown> = {};
        for (const name of Object.keys(value)) {
          const at: Where = { parent: where, step: name };
          if (this.#repeated) this.#noteRepeated(at);
          setOwnMember(result, name, this.#element(value[name], schema.values, at));
        }
        return result;
      }
      case "list":
        if (!Array.isArray(value)) throw mismatch(value, schema, where);
        return value.map((item, i) => this.#element(item, schema.items, { parent: where, step: i }));
      case "either":
        return isRecord(value) ? this.value(value, schema.object, where) : this.value(value, schema.other, where);
    }
  }

  #element(value: unknown, schema: TypeSchema, where: Where): unknown {
    return value === null ? zeroOf(schema) : this.value(value, schema, where);
  }

  /** Go also reads bytes from a list of numbers. */
  #bytes(items: readonly unknown[], where: Where): string {
    const numbers = items.map((item) => {
      if (item === null && !this.#convertsMaps) return 0;
      if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 256) return item;
      throw mismatch(item, scalar("uint8"), where);
    });
    return Buffer.from(numbers).toString("base64");
  }

  #noteRepeated(where: Where): void {
    const path = pathOf(where);
    if (this.problems.length < mostProblems && this.#repeated?.has(path))
      this.problems.push(`duplicate field ${quote(path)}`);
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
  if (field.schema.type === "map") return isRecord(value) && isEmptyRecord(value);
  if (field.schema.type !== "scalar" || field.schema.scalar === "IntOrString") return false;
  return value === "" || value === 0 || value === false;
}

function isEmptyRecord(value: Readonly<Record<string, unknown>>): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

function mismatch(value: unknown, schema: TypeSchema, where: Where): TypeMismatch {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const wantsNumber = schema.type === "scalar" && /^(int|uint|double|IntOr)/.test(schema.scalar);
  const what = isNumber && wantsNumber ? `number ${value}` : jsonTypeName(value);
  const go = goPathOf(where);
  const member = memberOf(where);
  const named = member && namedStringOf(member);
  const target =
    go.length === 0
      ? `Go value of type ${goTypeName(schema, named, member)}`
      : `Go struct field ${structOf(where)}.${go.join(".")} of type ${goTypeName(schema, named, member)}`;
  return new TypeMismatch(`json: cannot unmarshal ${what} into ${target}`, conversionProblem(value, schema, named));
}
