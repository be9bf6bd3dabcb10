import type { TypeSchema } from "../schema/type-schema.ts";
import { type Member, namedKeyOf } from "./go-named-types.ts";

/** The JSON type of a value in the words of Go's decoder. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "number";
  return typeof value;
}

/** What a value is once JSON is read as a map, in Go's words. */
function unstructuredKind(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "number" && !(Number.isInteger(value) && Math.abs(value) < 2 ** 63)) return "float64";
  if (typeof value === "number" || typeof value === "bigint") return "int64";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "map";
}

/** Why a value in a map does not fit a Go type, where upstream converts maps rather than text. @see apimachinery pkg/runtime converter.go */
export function conversionProblem(value: unknown, schema: TypeSchema, named: string | undefined): string | undefined {
  const kind = unstructuredKind(value);
  if (schema.type === "list") return `cannot restore slice from ${kind}`;
  if (schema.type === "map") return `cannot restore map from ${kind}`;
  if (schema.type === "object") return `cannot restore struct from: ${kind}`;
  if (schema.type !== "scalar") return undefined;
  switch (schema.scalar) {
    case "bytes":
      return `cannot restore slice from ${kind}`;
    case "string":
      return kind === "int64" ? `cannot convert int64 to ${named ?? "string"}` : "unrecognized type: string";
    case "int32":
    case "int64":
    case "double": {
      const type = schema.scalar === "double" ? "float64" : schema.scalar;
      return kind === "float64" && !Number.isInteger(value)
        ? `cannot convert float64 to ${type}`
        : `unrecognized type: ${type}`;
    }
    case "bool":
      return "unrecognized type: bool";
    case "uint8":
      return "unrecognized type: uint8";
    // these are read from text of their own
    case "IntOrString":
    case "Time":
    case "MicroTime":
    case "Duration": {
      const isNumber = typeof value === "number" || typeof value === "bigint";
      const what = isNumber && schema.scalar === "IntOrString" ? `number ${value}` : jsonTypeName(value);
      return `json: cannot unmarshal ${what} into Go value of type ${goTypeName(schema)}`;
    }
    default:
      return undefined;
  }
}

const scalarNames: Readonly<Record<string, string>> = {
  double: "float64",
  bytes: "[]uint8",
  Time: "string",
  MicroTime: "string",
  Duration: "string",
  IntOrString: "int32",
  Quantity: "resource.Quantity",
};

/**
 * The Go type of a schema, as error messages name it: `[]v1.Container`.
 *
 * @param named what its strings are called
 * @param member where it stands
 */
export function goTypeName(schema: TypeSchema, named = "string", member?: Member): string {
  switch (schema.type) {
    case "scalar":
      if (schema.scalar === "string") return named;
      return scalarNames[schema.scalar] ?? schema.scalar;
    case "list":
      return `[]${goTypeName(schema.items, named)}`;
    case "map":
      if (member && namedKeyOf(member)) return `map[${namedKeyOf(member)}]${goTypeName(schema.values, named)}`;
      if (schema.values.type === "scalar" && schema.values.scalar === "Quantity") return "v1.ResourceList";
      return `map[string]${goTypeName(schema.values, named)}`;
    case "object":
      return `${schema.apiVersion?.slice(schema.apiVersion.lastIndexOf("/") + 1) ?? "v1"}.${schema.name ?? "Object"}`;
    default:
      return `v1.${schema.name ?? "JSON"}`;
  }
}
