import type { TypeSchema } from "../schema/type-schema.ts";

/** The JSON type of a value in the words of Go's decoder. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "number";
  return typeof value;
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

/** The Go type of a schema, as error messages name it: `[]v1.Container`. */
export function goTypeName(schema: TypeSchema): string {
  switch (schema.type) {
    case "scalar":
      return scalarNames[schema.scalar] ?? schema.scalar;
    case "list":
      return `[]${goTypeName(schema.items)}`;
    case "map":
      return `map[string]${goTypeName(schema.values)}`;
    case "object":
      return `v1.${schema.name ?? "Object"}`;
    default:
      return `v1.${schema.name ?? "JSON"}`;
  }
}
