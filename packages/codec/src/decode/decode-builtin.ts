import { isErrorWithCode, isRecord, KubewrightError, quote, setOwnMember } from "@kubewright/apimachinery";
import { wrongType } from "../json/wrong-type.ts";
import { type FieldSchema, type ObjectSchema, scalar, type TypeSchema } from "../schema/type-schema.ts";
import { convertScalar, decodeScalar, ScalarError } from "./scalar-decoder.ts";

/** Thrown if a value does not match its type, such as `spec.replicas: expected int32, got string`. */
export class TypeMismatchError extends KubewrightError {
  override readonly name = "TypeMismatchError";
  readonly code = "ERR_TYPE_MISMATCH";
  /** Message for cases in which upstream converts a parsed object (a Go map) instead of parsing text. */
  readonly conversion: string | undefined;

  constructor(message: string, conversion?: string) {
    super(message);
    this.conversion = conversion;
  }
}

/** Reports whether an error is a {@link TypeMismatchError}. */
export const isTypeMismatchError = isErrorWithCode<TypeMismatchError>("ERR_TYPE_MISMATCH");

/** Result of decoding an object of a built-in kind. */
export interface Decoded {
  /** A copy that contains only known fields, as Go serializes it: without nulls and empty optional fields. */
  readonly value: Record<string, unknown>;
  /** Problems that matter only for strict decoding, such as `unknown field "spec.x"`. */
  readonly problems: readonly string[];
}

/**
 * Decodes a JSON value as an object of a built-in type.
 *
 * @param repeated paths of repeated members; each is reported where the member is decoded
 *
 * @throws {TypeMismatchError} if a value does not match its type
 */
export function decodeBuiltin(
  value: Readonly<Record<string, unknown>>,
  schema: ObjectSchema,
  repeated: readonly string[] = [],
  convertsMaps = false,
): Decoded {
  const decoder = new BuiltinDecoder(repeated, convertsMaps);
  return { value: decoder.object(value, schema, root), problems: decoder.problems };
}

/** Maximum number of problems per object or patch. @see sigs.k8s.io/json saveStrictError */
export const maxProblems = 100;

/** Maximum total length of problems. Without this limit, a long key could be repeated in the paths of thousands of problems. */
const longestProblems = 256 * 1024;

/** Returns texts in order until their total length exceeds 256 KiB. Any further texts are not created. */
export function firstProblems(texts: Iterable<string>): string[] {
  const first: string[] = [];
  let length = 0;
  for (const text of texts) {
    first.push(text);
    length += text.length;
    if (length > longestProblems) break;
  }
  return first;
}

/** Location of a value in its object. It is formatted only if a problem must be reported. */
interface Where {
  readonly parent: Where | undefined;
  /** Last step of the location: a member of a struct, a key of a map, or a position in a list. */
  readonly step: { readonly field: FieldSchema; readonly struct: ObjectSchema } | string | number | undefined;
}

const root: Where = { parent: undefined, step: undefined };

/** Returns a path such as `spec.containers[0]`. */
function pathOf({ parent, step }: Where): string {
  if (!parent || step === undefined) return "";
  const before = pathOf(parent);
  if (typeof step === "number") return `${before}[${step}]`;
  const name = typeof step === "string" ? step : step.field.name;
  return before === "" ? name : `${before}.${name}`;
}

/** Maximum length of a path in a message. Without this limit, a single key could be as long as a whole body. */
const longestPath = 500;

function shortPath(where: Where): string {
  const path = pathOf(where);
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
}

/**
 * Maximum total length of the paths that are compared with the paths of repeated members. Without this limit, a long
 * key would be part of the paths of thousands of members.
 */
const longestCompared = 16 * 1024 * 1024;

class BuiltinDecoder {
  readonly problems: string[] = [];
  #problemsLength = 0;
  /** Paths of repeated members that have not been reported. */
  readonly #repeated: Set<string>;
  #comparedLength = 0;
  readonly #convertsMaps: boolean;

  constructor(repeated: readonly string[], convertsMaps: boolean) {
    this.#convertsMaps = convertsMaps;
    this.#repeated = new Set(repeated);
  }

  object(value: unknown, schema: ObjectSchema, where: Where): Record<string, unknown> {
    if (!isRecord(value)) throw mismatch(value, schema, where);
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const field = schema.fields.get(name);
      if (!field) {
        this.#report(() => {
          const path = pathOf({ parent: where, step: name });
          return `unknown field ${this.#convertsMaps ? `"${path}"` : quote(path)}`;
        });
        continue;
      }
      const at: Where = { parent: where, step: { field, struct: schema } };
      if (this.#repeated.size > 0) this.#noteRepeated(at);
      const decoded = this.value(value[name], field.schema, at);
      if (decoded === undefined) continue;
      if (!isOmitted(decoded, field) || significantWhenEmpty.has(`${schema.name}.${name}`)) result[name] = decoded;
    }
    return result;
  }

  /** Decodes a value by its schema. Returns `undefined` for a null that stands for an absent value. */
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
          throw new TypeMismatchError(`${shortPath(where)}: ${error.detail}`);
        }
      case "object":
        return this.object(value, schema, where);
      case "map": {
        if (!isRecord(value)) throw mismatch(value, schema, where);
        const result: Record<string, unknown> = {};
        for (const name of Object.keys(value)) {
          const at: Where = { parent: where, step: name };
          if (this.#repeated.size > 0) this.#noteRepeated(at);
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

  /** Decodes bytes from a list of numbers, which Go also accepts. */
  #bytes(items: readonly unknown[], where: Where): string {
    const numbers = items.map((item) => {
      if (item === null && !this.#convertsMaps) return 0;
      if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 256) return item;
      throw mismatch(item, scalar("uint8"), where);
    });
    return Buffer.from(numbers).toString("base64");
  }

  /** Reports a member if it is repeated. Once too many paths have been compared, reports all repeated members, wherever they are. */
  #noteRepeated(where: Where): void {
    const path = pathOf(where);
    this.#comparedLength += path.length;
    const found = this.#comparedLength > longestCompared ? this.#repeated : this.#repeated.has(path) ? [path] : [];
    for (const one of found) {
      this.#repeated.delete(one);
      this.#report(() => `duplicate field ${quote(one)}`);
    }
  }

  /** Adds a problem, unless there are too many. */
  #report(problem: () => string): void {
    if (this.problems.length >= maxProblems || this.#problemsLength > longestProblems) return;
    const text = problem();
    this.problems.push(text);
    this.#problemsLength += text.length;
  }
}

/** Returns Go's value for a JSON null in a list or map. */
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

/** Lists for which being empty and being absent have different meanings. */
const significantWhenEmpty = new Set(["ObjectMeta.managedFields", "HPAScalingRules.policies"]);

/** Reports whether Go omits a member: it has `omitempty`, is empty, and is neither a pointer nor a struct. */
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

const scalarNames: Readonly<Record<string, string>> = {
  bool: "boolean",
  bytes: "base64 text",
  double: "number",
  Duration: "duration",
  IntOrString: "int32 or string",
  MicroTime: "time",
  Quantity: "quantity",
  Time: "time",
};

const longestNumber = 40;

function mismatch(value: unknown, schema: TypeSchema, where: Where): TypeMismatchError {
  const path = shortPath(where);
  const wanted =
    schema.type === "scalar"
      ? (scalarNames[schema.scalar] ?? schema.scalar)
      : schema.type === "list"
        ? "array"
        : "object";
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const text =
    isNumber && /int/.test(wanted)
      ? `${path}: expected ${wanted}, got ${String(value).slice(0, longestNumber)}`
      : wrongType(path, wanted, value);
  return new TypeMismatchError(text, conversionProblem(value, schema));
}

/**
 * Returns the message (familiar from kubectl) for a patch that replaces a list or map with a value of another type.
 *
 * @see apimachinery pkg/runtime converter.go
 */
function conversionProblem(value: unknown, { type }: TypeSchema): string | undefined {
  const wanted = { list: "slice from", map: "map from", object: "struct from:" }[String(type)];
  const given = Array.isArray(value) ? "slice" : isRecord(value) ? "map" : typeof value;
  return wanted && `cannot restore ${wanted} ${given}`;
}
